"""Browsers of several people, and what the server answers them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import httpx
from starlette.types import ASGIApp

from chunking.deployment.demo.visit_cookies import sign_token
from components.session.identity import COOKIE

__all__ = ["ANN", "ANN_TOKEN", "BOB", "BOB_TOKEN", "KEY", "NOBODY", "answered", "finished", "visit"]

T = TypeVar("T")

KEY = b"signs the visits of these tests"


def visit(token: str) -> dict[str, str]:
    """The cookie of a demo's visitor, signed with `KEY`."""
    return {COOKIE: sign_token(KEY, token)}


ANN_TOKEN, BOB_TOKEN = "a" * 43, "b" * 43
ANN, BOB, NOBODY = visit(ANN_TOKEN), visit(BOB_TOKEN), dict[str, str]()


def answered(app: ASGIApp, method: str, path: str, cookies: dict[str, str], **named: Any) -> httpx.Response:
    """What a browser gets."""

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here", cookies=cookies) as client:
            return await client.request(method, path, **named)

    return finished(ask)


def finished(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What it comes to, in a loop of its own: where a browser test ran before, one runs in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()
