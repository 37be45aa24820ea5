"""Pins on the boundaries of a document: set in its text, listed, taken back; drawn before they are saved."""

from components.chunks.pins.desk import PinDesk, pin_desk
from components.chunks.pins.panel import pin_panel

__all__ = ["PinDesk", "pin_desk", "pin_panel"]
