"""Whom a request to a model's server is counted for.

On a server that others use each request is asked for before it is sent, and refused where its person has used up what
they may. The server, and the worker of a job, say who asks (`meter_by`); where nobody is known to ask, nothing is sent.
On one's own machine nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol

from chunking.allowed import allowed
from chunking.errors import QuotaError

__all__ = ["Meter", "charge_to", "meter", "meter_by", "take_request", "tokens_about"]

_BYTES_A_TOKEN = 4
"""About, of English and of Chinese in UTF-8: for servers that do not say what they have read and written."""


class Meter(Protocol):
    """Counts the requests of one person, and what they cost."""

    def take(self, cost: float) -> None:
        """Count a request that is about to be sent.

        Args:
            cost: most that it can cost, about, in the currency of the endpoint's prices.
        Raises:
            QuotaError: its person has used up what they may; it is not to be sent.
        """

    def pay(self, cost: float) -> None:
        """Note what a request has cost."""


def _nobody() -> Meter | None:
    return None


_of_thread: Callable[[], Meter | None] = _nobody
_charged: ContextVar[Meter | None] = ContextVar("charged", default=None)
"""Who pays in this context, where it is not who `meter_by` would say."""


def meter_by(of_thread: Callable[[], Meter | None]) -> None:
    """Say from now on in this process whom the present thread asks for; None where it asks for nobody."""
    global _of_thread
    _of_thread = of_thread


def charge_to(payer: Meter | None) -> None:
    """Charge what this context asks for from now on to somebody, whatever `meter_by` says of its thread.

    Args:
        payer: such as of an agent, whose calls run in a context each; None: as `meter_by` says.
    """
    _charged.set(payer)


def meter() -> Meter | None:
    """Of whoever the present context is charged to, else of whoever the present thread asks for."""
    return _charged.get() or _of_thread()


def take_request(of: Meter | None, cost: float | None) -> None:
    """Count a request before it is sent.

    Args:
        cost: as `Meter.take`; None where the prices are not known.
    Raises:
        QuotaError: it may not be sent.
    """
    if of is not None:
        of.take(cost or 0.0)
    elif not allowed().everything:
        raise QuotaError(
            "Nobody is signed in, so this model request cannot count towards anyone's quota; reload the page.",
            where="llm_requests",
        )


def tokens_about(text: str) -> int:
    """Tokens of a text, about.

    >>> tokens_about("Pumps move water."), tokens_about("水泵输送水。")
    (5, 5)
    """
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)
