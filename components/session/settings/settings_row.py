"""A row of actions on all settings: copy a link, load YAML, saved configurations, reset."""

from __future__ import annotations

import streamlit as st

from chunking.config import Config
from chunking.deployment.forbidden_settings import check_names
from chunking.errors import ConfigError
from components.kit.button import button
from components.kit.copy_link import copy_link
from components.kit.wording import plain, quantity
from components.session import share
from components.session.page.page_frame import dialog
from components.session.settings.saved_configurations import changes, changes_table, open_configurations

__all__ = ["read_configuration", "settings_row"]


def settings_row(*, key: str) -> None:
    """Draw the buttons that copy a link, load YAML, open saved configurations, and reset.

    Args:
        key: prefix of its widgets' keys.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}.row"):
        with st.container(width="content"):
            copy_link(key=f"{key}.link")
        if button(
            "Load YAML",
            key=f"{key}.load",
            type="tertiary",
            help="Use the settings from a file or pasted text.",
        ):
            load_dialog()
        saving = "Save these settings under a name, or use saved ones."
        if button("Saved", key=f"{key}.saved", type="tertiary", help=saving):
            open_configurations()
        same = share.config() == Config()
        if button(
            "Reset",
            key=f"{key}.reset",
            type="tertiary",
            disabled=same,
            help="Reset all settings to their defaults; asks first.",
        ):
            reset_dialog()


def read_configuration(data: bytes | str) -> Config:
    """Parse a configuration from a YAML file or text; old names of settings are read too.

    Raises:
        ConfigError: the text is empty or no valid configuration, or names something forbidden here.
    """
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ConfigError("The file is not UTF-8 text; save it as UTF-8, or paste its text.") from error
    if not data.strip():
        raise ConfigError("It has no settings; give a file that Export wrote, or settings such as chunk: {size: 300}.")
    read = Config.from_yaml(data, where="The configuration")
    check_names(read)
    return read


@dialog("Load settings")
def load_dialog() -> None:
    """Draw a file and a text field, the changes of settings, and the button that applies them."""
    file = st.file_uploader(
        "YAML file",
        type=["yaml", "yml"],
        key="settings.file",
        help="A configuration file from Export. Missing settings get their defaults.",
    )
    typed = st.text_area(
        "Or paste it", key="settings.text", height=160, placeholder="chunk:\n  size: 300\n  overlap: 15%"
    )
    data = file.getvalue() if file else typed
    if not data:
        return
    try:
        new = read_configuration(data)
    except ConfigError as error:
        st.caption(f":red[{plain(str(error))}]")
        return
    _offer(new, "Use these settings", key="settings.apply")


@dialog("Reset the settings?")
def reset_dialog() -> None:
    """Draw what a reset to the defaults would change, and the button that applies it."""
    _offer(Config(), "Reset them", key="settings.reset.sure")


def _offer(new: Config, label: str, *, key: str) -> None:
    """Draw the changes of a configuration, and the button that applies it to all pages."""
    now = share.config()
    rows = changes(now, new)
    if not rows:
        st.info("These are already the current settings: nothing would change.")
        return
    st.markdown(f"**{quantity(len(rows), 'setting')} will change**, on all pages:")
    st.markdown(changes_table(rows))
    if button(label, type="primary", key=key):
        share.keep_config(new)
        st.rerun()
