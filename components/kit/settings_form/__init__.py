"""The form made from `chunking.config.settings()`: a new field there is a new widget here."""

from components.kit.settings_form.form import settings_form

__all__ = ["settings_form"]
