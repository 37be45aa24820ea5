"""A team's deployment as the pages' tests see it: its people, who is signed in, and what a page says to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chunking.deployment import Person, operator_settings
from hosting.hosted_deployment import HostedDeployment
from hosting.people import identity
from tests.pages.app_session import ROOT, run_app

ANN, BOB, CAY = (Person(name[0] * 24, name.title(), f"{name}@example.com") for name in ("ann", "bob", "cay"))


def team_of(home: Path) -> HostedDeployment:
    """The deployment of a home folder, as another process sees it."""
    return HostedDeployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))


def signed_in(monkeypatch: pytest.MonkeyPatch, person: Person | None) -> None:
    """Have the sign-in vouch for somebody."""
    monkeypatch.setattr(identity, "_signed_in", lambda sign_in: person)


def documents(**address: str) -> AppTest:
    """The documents page in a new session."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in address.items():
        app.query_params[key] = value
    return run_app(app.switch_page("pages/documents.py"))


def texts_of(app: AppTest) -> list[str]:
    """Every text in what a page sends to the browser, but its tables' cells and what stands in fields to write in."""

    def texts(message: Any) -> Iterator[str]:
        for field, value in message.ListFields():
            if message.DESCRIPTOR.name == "TextInput" and field.name in ("default", "value"):
                continue  # what stands in a field is no markup there
            for one in value if field.is_repeated else [value]:
                if field.type == field.TYPE_STRING and isinstance(one, str):
                    yield one
                elif field.type == field.TYPE_MESSAGE and hasattr(one, "ListFields"):
                    yield from texts(one)

    def nodes(block: Any) -> Iterator[Any]:
        yield block
        for child in getattr(block, "children", {}).values():
            yield from nodes(child)

    return [text for node in nodes(app._tree) if getattr(node, "proto", None) is not None for text in texts(node.proto)]


def menu_dialog(module: str, name: str) -> None:
    """A page that is nothing but a dialog of the menu."""
    from importlib import import_module

    getattr(import_module(module), name)()
