"""Settings that users of a workspace share under a name, with author and date."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime

from chunking.config import Config
from chunking.errors import ConfigError, NotFoundError, StoreError
from chunking.store.workspace import Workspace

__all__ = [
    "MOST_CONFIGURATION_NAME",
    "Author",
    "SavedConfiguration",
    "configuration_name",
    "delete_configuration",
    "forget_authors",
    "rename_configuration",
    "save_configuration",
    "saved_configuration",
    "saved_configurations",
]

MOST_CONFIGURATION_NAME = 80
"""Maximum characters of a name."""


@dataclass(frozen=True, slots=True)
class Author:
    """Author of a configuration; both fields are empty where nobody signs in."""

    id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class SavedConfiguration:
    """Settings saved under a name as YAML, with author and date."""

    name: str
    yaml: str
    """Settings as `Config.to_yaml` writes them; unparsed, so that a later version's can be listed."""
    author: Author
    saved: str
    """ISO 8601, UTC."""

    def config(self) -> Config:
        """Return the settings parsed from the YAML; earlier names of settings are accepted.

        Raises:
            ConfigError: one of them is unknown to this version, or out of range.
        """
        return Config.from_yaml(self.yaml, where=f"The configuration “{self.name}”")

    def to_json(self) -> str:
        """Return the JSON that `Workspace.configurations` stores under the name, without the name."""
        author = {"id": self.author.id, "name": self.author.name}
        return json.dumps({"yaml": self.yaml, "author": author, "saved": self.saved}, ensure_ascii=False)

    @classmethod
    def from_json(cls, name: str, text: str) -> SavedConfiguration:
        """Return the configuration of a name from the output of `to_json`; its YAML stays unparsed.

        Raises:
            StoreError: the text is not such JSON.
        """
        from chunking.text.bounded_json import read_json  # its package imports numpy, which many callers don't need

        try:
            tree = read_json(text)
            author = tree["author"]
            stored = cls(name, tree["yaml"], Author(author["id"], author["name"]), tree["saved"])
            if not all(
                isinstance(one, str) for one in (stored.yaml, stored.author.id, stored.author.name, stored.saved)
            ):
                raise TypeError("a value is not text")
            datetime.fromisoformat(stored.saved)
        except (ValueError, KeyError, TypeError) as error:
            message = (
                f"The saved configuration '{name}' is invalid ({error}); delete it by "
                f"`Workspace.configurations.delete`."
            )
            raise StoreError(message, where=name) from error
        return stored

    def as_record(self) -> dict[str, object]:
        """Return the record that `chunkscope configurations` prints, with changed settings only.

        If this version cannot read the settings, `settings` is the error's sentence instead.
        """
        try:
            settings: object = self.config().changed()
        except ConfigError as error:
            settings = str(error)
        return {"name": self.name, "author": self.author.name or None, "saved": self.saved, "settings": settings}


def configuration_name(name: str) -> str:
    """Check a configuration's name; return it in one line, without extra spaces, in NFC.

    Raises:
        ConfigError: it is empty, over 80 characters long, or has invisible characters.

    >>> configuration_name("  For   contracts ")
    'For contracts'
    """
    tidy = " ".join(unicodedata.normalize("NFC", name).split())
    if not 0 < len(tidy) <= MOST_CONFIGURATION_NAME:
        raise ConfigError(
            f"A configuration needs a name of 1 to {MOST_CONFIGURATION_NAME} characters; this one has {len(tidy):,}."
        )
    if any(unicodedata.category(letter)[0] == "C" for letter in tidy):
        raise ConfigError(
            "The name of a configuration cannot have invisible characters or direction marks; leave them out."
        )
    return tidy


def saved_configurations(workspace: Workspace) -> list[SavedConfiguration]:
    """Return all saved configurations, newest first.

    Raises:
        StoreError: a stored record is invalid.
    """
    configurations = [SavedConfiguration.from_json(name, text) for name, text in workspace.configurations.all().items()]
    return sorted(configurations, key=lambda one: one.saved, reverse=True)


def saved_configuration(workspace: Workspace, name: str) -> SavedConfiguration:
    """Return the saved configuration of a name, which must be spelled as it was saved.

    Raises:
        NotFoundError: there is none; the message lists the names there are.
        StoreError: its stored record is invalid.
    """
    text = workspace.configurations.get(name)
    if text is None:
        names = ", ".join(workspace.configurations.names()) or "none yet"
        raise NotFoundError(
            f"There is no saved configuration '{name}' in {workspace.uri}; the saved ones are {names}.", where=name
        )
    return SavedConfiguration.from_json(name, text)


def save_configuration(
    workspace: Workspace,
    name: str,
    config: Config,
    author: Author | None = None,
    *,
    replacing: SavedConfiguration | None = None,
) -> SavedConfiguration:
    """Save settings under a name; an existing record is replaced only if it equals `replacing`.

    Args:
        author: None where nobody signs in.
        replacing: the configuration of that name that the user saw and wants to replace; None if they saw none.
    Raises:
        ConfigError: the name is invalid.
        StoreError: the name has another record than `replacing`; it stays, and the message says who saved it and when.
    """
    tidy, now = configuration_name(name), datetime.now(UTC).isoformat(timespec="microseconds")
    configuration = SavedConfiguration(tidy, config.to_yaml(), author or Author(), now)

    def becomes(kept: str | None) -> str:
        _check_unchanged(tidy, kept, replacing)
        return configuration.to_json()

    workspace.configurations.change(tidy, becomes)
    return configuration


def rename_configuration(workspace: Workspace, expected: SavedConfiguration, name: str) -> SavedConfiguration:
    """Rename a saved configuration and return it under its new name; author and date stay.

    Raises:
        ConfigError: the name is invalid.
        NotFoundError: it has been deleted.
        StoreError: it was saved again since the user saw it, or the new name exists.
    """
    tidy = configuration_name(name)

    def check(kept: str | None, of_new_name: str | None) -> None:
        if kept is None:
            raise NotFoundError(
                f"“{expected.name}” has been deleted since; save the settings again.", where=expected.name
            )
        _check_unchanged(expected.name, kept, expected)
        _check_unchanged(tidy, of_new_name, None)

    if tidy != expected.name:
        workspace.configurations.rename(expected.name, tidy, check, done=("renamed a configuration to", tidy))
    return saved_configuration(workspace, tidy)


def delete_configuration(workspace: Workspace, expected: SavedConfiguration) -> None:
    """Delete a saved configuration unless it was saved again since; ignore a missing one.

    Raises:
        StoreError: it was saved again since the user saw it; it stays.
    """

    def becomes(kept: str | None) -> None:
        _check_unchanged(expected.name, kept, expected)

    workspace.configurations.change(expected.name, becomes)


def forget_authors(workspace: Workspace) -> None:
    """Remove author names and ids from all saved configurations of a copy that strangers will read."""
    named = [one for one in saved_configurations(workspace) if one.author != Author()]
    anonymous = (SavedConfiguration(one.name, one.yaml, Author(), one.saved) for one in named)
    workspace.configurations.put({one.name: one.to_json() for one in anonymous})


def _check_unchanged(name: str, kept: str | None, expected: SavedConfiguration | None) -> None:
    """Raise StoreError if a name has another configuration than the user saw."""
    now = None if kept is None else SavedConfiguration.from_json(name, kept)
    if now is None or now == expected:
        return
    by, at = (
        f"{now.author.name}, " if now.author.name else "",
        f"{datetime.fromisoformat(now.saved):%d %b %Y, %H:%M} UTC",
    )
    if expected is None:
        message = f"There is a configuration “{name}” already ({by}{at}); replace it, or choose another name."
    else:
        message = f"“{name}” has been saved again since you looked ({by}{at}); look at it once more before you go on."
    raise StoreError(message, where=name)
