"""What a widget sends, without a kernel: its comm keeps the messages."""

from __future__ import annotations

from typing import Any

from comm.base_comm import BaseComm

__all__ = ["RecordedComm", "event"]


class RecordedComm(BaseComm):
    """A comm whose messages are looked at."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.messages: list[tuple[str, dict[str, Any], list[Any]]] = []
        super().__init__(*args, **options)

    def publish_msg(self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any) -> None:
        """Keep it: (kind, data, buffers)."""
        self.messages.append((msg_type, data or {}, list(buffers or [])))

    def updates(self) -> list[dict[str, Any]]:
        """The states sent since the last call, oldest first."""
        sent = [data["state"] for kind, data, _ in self.messages if kind == "comm_msg" and data.get("method") == "update"]
        self.messages.clear()
        return sent


def event(number: int, key: str, kind: str, value: object, nonce: str = "5f") -> dict[str, object]:
    """What queues.js sends."""
    return {"nonce": nonce, "number": number, "key": key, "kind": kind, "value": value}
