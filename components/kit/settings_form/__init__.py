"""The form made from `chunking.config.settings()`: a new field there is a new widget here."""

from components.kit.settings_form.form import Form, draw_form, read_form, settings_form

__all__ = ["Form", "draw_form", "read_form", "settings_form"]
