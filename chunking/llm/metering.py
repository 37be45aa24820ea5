"""Meters that count a person's requests to model servers.

On a shared server each request is charged before it is sent, and refused if its person's quota is used up. The server,
and the worker of a job, set whose meter a thread uses (`meter_by`); without a person nothing is sent. On a personal
machine nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol

from chunking.allowed import allowed
from chunking.errors import QuotaError

__all__ = ["Meter", "charge_to", "meter", "meter_by", "take_request", "tokens_about"]

_BYTES_A_TOKEN = 4
"""Estimated bytes per token, for English and Chinese in UTF-8, if a server does not count."""


class Meter(Protocol):
    """Protocol of a counter of one person's requests and cost, which enforces a quota."""

    def take(self, cost: float) -> None:
        """Count a request that is about to be sent.

        Args:
            cost: estimated maximum cost, in the currency of the endpoint's prices.
        Raises:
            QuotaError: the quota is used up; the request must not be sent.
        """

    def pay(self, cost: float) -> None:
        """Add the cost of a request that was sent."""


def _nobody() -> Meter | None:
    return None


_of_thread: Callable[[], Meter | None] = _nobody
_charged: ContextVar[Meter | None] = ContextVar("charged", default=None)
"""Meter charged in this context instead of the thread's."""


def meter_by(of_thread: Callable[[], Meter | None]) -> None:
    """Install the function that returns the meter of the current thread; None for no person."""
    global _of_thread
    _of_thread = of_thread


def charge_to(payer: Meter | None) -> None:
    """Charge the requests of this context to a meter instead of the thread's.

    Args:
        payer: for example of an agent, each of whose calls runs in its own context; None: the thread's meter.
    """
    _charged.set(payer)


def meter() -> Meter | None:
    """Return the meter of the current context, else of the current thread; None without one."""
    return _charged.get() or _of_thread()


def take_request(of: Meter | None, cost: float | None) -> None:
    """Charge a request to a meter before it is sent; without a meter nothing is counted.

    Args:
        cost: as for `Meter.take`; None if the prices are unknown.
    Raises:
        QuotaError: the quota is used up, or there is no meter on a shared server; do not send the request.
    """
    if of is not None:
        of.take(cost or 0.0)
    elif not allowed().everything:
        raise QuotaError(
            "Nobody is signed in, so this model request cannot count towards anyone's quota; reload the page.",
            where="llm_requests",
        )


def tokens_about(text: str) -> int:
    """Estimate the tokens of a text.

    >>> tokens_about("Pumps move water."), tokens_about("水泵输送水。")
    (5, 5)
    """
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)
