"""Pins on the boundaries of a document: set in its text, listed, taken back; drawn before they are saved."""

from components.chunks.pins.desk import PinDesk, pin_desk
from components.chunks.pins.panel import left_out_card, pin_panel

__all__ = ["PinDesk", "left_out_card", "pin_desk", "pin_panel"]
