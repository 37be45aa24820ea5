"""The door for agents, without a server behind it: who is let in in each mode, for whom it counts, and how many at a
time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse

from chunking.deployment import Person, operator_settings
from chunking.errors import AccessError, QuotaError
from chunking.llm import metering
from chunking.store import Role, RoleAccess
from components.server.agents import agent_door
from components.server.agents.agent_door import AT_ONCE, CALLER, AgentCaller, AgentDoor, LazyServers, ServerKey
from components.session import host
from components.session.host import AgentGrant
from hosting.hosted_deployment import HostedDeployment
from hosting.quotas.quotas import SEARCHES_AT_ONCE, PersonMeter, SearchPace
from tests.support.event_loop import run_in_thread

ANN = Person("a" * 24, "Ann", "ann@example.com")


class Answers:
    """Stands in for the servers: says who came to which of them."""

    def __init__(self, wait: asyncio.Event | None = None) -> None:
        self.came: list[tuple[ServerKey, AgentCaller]] = []
        self.wait = wait

    async def manager(self, key: ServerKey) -> Answers:
        self.came.append((key, CALLER.get()))
        return self

    async def handle_request(self, scope: Any, receive: Any, send: Any) -> None:
        if self.wait is not None:
            await self.wait.wait()
        await PlainTextResponse("ok")(scope, receive, send)


def posted(
    answers: Any, address: str = "/mcp", headers: dict[str, str] | None = None, profile: Any = "full"
) -> httpx.Response:
    """One request to the door."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(AgentDoor(profile, answers))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8501") as client:
            return await client.post(address, headers=headers)

    return run_in_thread(ask)


def deployed(monkeypatch: pytest.MonkeyPatch, home: Path, **settings: str) -> HostedDeployment:
    """The deployment of this process, as the door finds it."""
    arguments = {
        "CHUNKSCOPE_HOME": str(home),
        **{f"CHUNKSCOPE_{name.upper()}": value for name, value in settings.items()},
    }
    for name, value in arguments.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    host._host.cache_clear()
    return HostedDeployment(operator_settings())


@pytest.fixture(autouse=True)
def _own_deployment(monkeypatch: pytest.MonkeyPatch) -> Any:
    yield
    monkeypatch.undo()
    host._host.cache_clear()


@pytest.mark.parametrize(
    ("mode", "agents", "status"),
    [
        ("local", "auto", 200),
        ("local", "off", 404),
        ("team", "auto", 401),
        ("team", "off", 404),
        ("demo", "auto", 404),
        ("demo", "off", 404),
    ],
)
def test_the_mode_decides_who_is_answered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: str, agents: str, status: int
) -> None:
    """A demo is off unless its operator says otherwise; nothing is imported for who is not let in."""
    deployed(monkeypatch, tmp_path, mode=mode, agents=agents)
    answers = Answers()
    assert posted(answers).status_code == status
    assert bool(answers.came) is (status == 200)


def test_the_right_to_write_decides_the_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And never that of the research profile."""
    deployed(monkeypatch, tmp_path)
    answers = Answers()
    for address in ("/mcp", "/mcp?write=1", "/mcp?write=no"):
        posted(answers, address)
    posted(answers, "/mcp/research?write=1", profile="research")
    assert [key for key, _ in answers.came] == [("full", False), ("full", True), ("full", False), ("research", False)]


def test_a_token_counts_as_its_person(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What its calls ask of models, too; without one, whose session a thread has decides."""
    from components.server.agents import app_server

    here = deployed(monkeypatch, tmp_path, mode="team")
    here.people.record_visit(ANN)
    ours = here.workspaces.create("Contracts", ANN.id)
    answers = Answers()
    token = here.agent_tokens.make(ours, "Claude", Role.EDITOR, ANN.id)
    assert posted(answers, headers={"Authorization": f"bearer  {token} "}).status_code == 200
    ((key, caller),) = answers.came
    assert (key, caller.grant.person, caller.grant.workspace, caller.grant.agent) == (
        ("full", True),
        ANN.id,
        ours,
        "Claude",
    )

    async def call() -> list[object]:
        CALLER.set(caller)
        app_server._toolbox()
        return [metering.meter()]

    (payer,) = run_in_thread(call)
    assert isinstance(payer, PersonMeter)
    assert payer.person == ANN.id
    assert metering.meter() is None


def test_a_demo_that_answers_agents_lets_them_read_its_base(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shelf: Path
) -> None:
    """And change nothing, whatever the address says; a cookie makes nobody a visitor."""
    deployed(monkeypatch, tmp_path, mode="demo", agents="on", demo_base=str(shelf))
    answers = Answers()
    assert posted(answers, "/mcp?write=1", {"Cookie": "chunkscope_visit=anything"}).status_code == 200
    ((key, caller),) = answers.came
    assert key == ("full", False)
    assert len(caller.open().documents()) == 3
    with pytest.raises(AccessError):
        caller.open().delete_documents(["guide_handbook"])


def test_searches_are_paced_and_reading_is_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in the app, and together with what the person searches there."""
    from chunking.agents import FULL_TOOLS
    from components.server.agents import app_server

    deployed(monkeypatch, tmp_path, mode="team")
    caller = AgentCaller(AgentGrant("w" * 16, "nowhere", RoleAccess(Role.VIEWER), ANN.id), "http://localhost")
    tools = {tool.name: tool for tool in FULL_TOOLS}
    assert {name for name, tool in tools.items() if tool.searches} >= {"search", "evaluate"}

    async def admitted(name: str) -> bool:
        CALLER.set(caller)
        try:
            app_server._admit(tools[name])
        except QuotaError:
            return False
        return True

    monkeypatch.setattr(host.deployment().quotas, "_pace", SearchPace(lambda: 0.0))
    assert sum(run_in_thread(partial(admitted, "search")) for _ in range(60)) == SEARCHES_AT_ONCE
    assert all(run_in_thread(partial(admitted, name)) for name in ("toc", "fetch", "list_documents"))


def test_calls_come_one_at_a_time_and_wait_for_no_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits too long for another call goes beside it, and gives back no turn but its own."""
    from chunking.agents import FULL_TOOLS
    from components.server.agents import app_server

    search = next(tool for tool in FULL_TOOLS if tool.name == "search")
    monkeypatch.setattr(app_server, "_LONG", 0.01)
    with app_server._turn(search), app_server._turn(search):
        assert not app_server._SHORT_CALL.acquire(blocking=False)
    assert app_server._SHORT_CALL.acquire(blocking=False)
    assert not app_server._SHORT_CALL.acquire(blocking=False)
    app_server._SHORT_CALL.release()


def test_a_full_workspace_takes_no_more(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shelf: Path) -> None:
    """What an operator lets one hold counts for agents, too; who only reads is not asked."""
    from chunking.agents import FULL_TOOLS
    from components.server.agents import app_server

    deployed(monkeypatch, tmp_path, mode="team", documents="3")
    caller = AgentCaller(AgentGrant("w" * 16, str(shelf), RoleAccess(Role.EDITOR), ANN.id), "http://localhost")

    async def refused() -> dict[str, str | None]:
        CALLER.set(caller)
        result = {}
        for tool in FULL_TOOLS:
            try:
                app_server._admit(tool)
            except QuotaError as error:
                result[tool.name] = error.where
        return result

    assert run_in_thread(refused) == {"collect": "documents"}


def test_one_caller_has_so_many_requests_under_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """More are refused and can come again; when the others are answered there is room."""
    deployed(monkeypatch, tmp_path)

    async def ask() -> tuple[list[int], int, int]:
        answers = Answers(asyncio.Event())
        transport = httpx.ASGITransport(AgentDoor("full", answers))  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8501") as client:
            sent = [asyncio.ensure_future(client.post("/mcp")) for _ in range(AT_ONCE)]
            while len(answers.came) < AT_ONCE:
                await asyncio.sleep(0.01)
            refused = await client.post("/mcp")
            assert answers.wait is not None
            answers.wait.set()
            statuses = [reply.status_code for reply in await asyncio.gather(*sent)]
            return statuses, refused.status_code, (await client.post("/mcp")).status_code

    assert run_in_thread(ask) == ([200] * AT_ONCE, 429, 200)


def test_a_setting_that_cannot_be_used_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not a fault of the program."""
    deployed(monkeypatch, tmp_path)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "shared")
    host._host.cache_clear()
    assert posted(Answers()).status_code == 503


def test_an_installation_without_the_sdk_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At the first request; the server goes on."""
    deployed(monkeypatch, tmp_path)

    def build(key: ServerKey) -> Any:
        raise ImportError("No module named 'mcp'")

    servers: LazyServers[ServerKey] = LazyServers(build)

    async def ask() -> int:
        async with servers.running():
            transport = httpx.ASGITransport(AgentDoor("full", servers))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8501") as client:
                return (await client.post("/mcp")).status_code

    assert run_in_thread(ask) == 501


def test_a_server_is_made_once_and_runs_until_the_end() -> None:
    """When the first request comes, however many come together."""
    events: list[str] = []

    class Server:
        @property
        def session_manager(self) -> Server:
            return self

        def streamable_http_app(self, **options: Any) -> None:
            events.append("app")

        @asynccontextmanager
        async def run(self) -> AsyncIterator[None]:
            events.append("run")
            yield
            events.append("end")

        async def handle_request(self, scope: Any, receive: Any, send: Any) -> None: ...

    def build(key: str) -> Server:
        events.append(f"build {key}")
        return Server()

    async def work() -> None:
        servers = LazyServers(build)
        async with servers.running():
            assert events == []
            one, two, other = await asyncio.gather(*(servers.manager(key) for key in ("a", "a", "b")))
            assert one is two
            assert one is not other

    run_in_thread(work)
    assert (events.count("build a"), events.count("build b"), events.count("run")) == (1, 1, 2)


def _nobody(key: ServerKey) -> Any:
    """Nothing is asked of it."""


def test_requests_to_agents_find_no_page() -> None:
    """The routes stand below the app's own path, and before Streamlit's."""
    import streamlit as st

    before = st.get_option("server.baseUrlPath")
    try:
        st.config.set_option("server.baseUrlPath", "/docs/")
        paths = {route.path for route in agent_door.agent_routes(LazyServers(_nobody))}  # type: ignore[attr-defined]
    finally:
        st.config.set_option("server.baseUrlPath", before)
    assert {"/docs/mcp", "/docs/mcp/research"} < paths
    assert "/.well-known/oauth-protected-resource{rest:path}" in paths
