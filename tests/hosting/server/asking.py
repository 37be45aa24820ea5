"""Browsers of several people, and what the server answers them."""

from __future__ import annotations

from typing import Any

import httpx
from starlette.types import ASGIApp

from hosting.demo.visit_cookies import sign_token
from hosting.people.identity import COOKIE
from tests.support.event_loop import run_in_thread

__all__ = ["ANN", "ANN_TOKEN", "BOB", "BOB_TOKEN", "KEY", "NOBODY", "answered", "visit"]

KEY = b"signs the visits of these tests"


def visit(token: str) -> dict[str, str]:
    """The cookie of a demo's visitor, signed with `KEY`."""
    return {COOKIE: sign_token(KEY, token)}


ANN_TOKEN, BOB_TOKEN = "a" * 43, "b" * 43
ANN, BOB, NOBODY = visit(ANN_TOKEN), visit(BOB_TOKEN), dict[str, str]()


def answered(app: ASGIApp, method: str, path: str, cookies: dict[str, str], **named: Any) -> httpx.Response:
    """What a browser gets."""

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://here", cookies=cookies
        ) as client:
            return await client.request(method, path, **named)

    return run_in_thread(ask)
