"""Agents of a team: a token, the role of the person behind it, and one workspace, asked at every call."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcp import MCPError

from chunking.store import Role
from hosting.quotas.quotas import SEARCHES_AT_ONCE
from tests.components.server.agents.agent_client import ERAS, ask, call, post, request_of
from tests.hosting.server.agents.team_server import ANN, BOB, TeamServer

LISTING = request_of("list_documents", {})


def documents(team: TeamServer, token: str) -> list[str]:
    """The paths that a token's agent sees."""
    reply = call(team.address, "list_documents", token=token)
    assert not reply.refused, reply.body
    return [one["path"] for one in reply.result["structuredContent"]["documents"]]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer nope"},
        {"Authorization": f"Bearer csk_{'0' * 16}.{'x' * 43}"},
        {"Authorization": "Basic YW5uOmFubg=="},
        {"Cookie": "_streamlit_user=anything; chunkscope_visit=anything"},
        {"X-Forwarded-User": "ann", "X-Forwarded-Email": "ann@example.com", "Remote-User": "ann", "sub": "ann"},
    ],
    ids=str,
)
def test_nobody_comes_in_without_a_token(team: TeamServer, headers: dict[str, str]) -> None:
    """By no cookie and no header of a proxy; the answer says what is needed."""
    for address in (team.address, f"{team.address}/research"):
        reply = post(address, LISTING, headers)
        assert reply.status == 401
        assert reply.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("mode", ERAS)
def test_two_people_have_their_own_workspaces(team: TeamServer, mode: str) -> None:
    """Each token opens one, and its links name it; an id of the other one is not there."""
    tokens = {
        one.id: team.here.agent_tokens.make(id, "Claude", Role.VIEWER, one.id)
        for one, id in ((ANN, team.anns), (BOB, team.bobs))
    }

    async def work(client: Any) -> Any:
        return await client.call_tool("search", {"query": "pump", "mode": "text"})

    (hit,) = ask(team.address, work, token=tokens[BOB.id], mode=mode).structured_content["results"]
    assert f"workspace={team.bobs}" in hit["url"]
    assert not ask(team.address, work, token=tokens[ANN.id], mode=mode).structured_content["results"]
    assert documents(team, tokens[BOB.id]) == ["pump.md"]
    assert len(documents(team, tokens[ANN.id])) == 3
    for query in (f"?workspace={team.bobs}", "?write=1"):
        assert call(f"{team.address}{query}", "fetch", {"id": hit["id"]}, token=tokens[ANN.id]).refused


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("used", ["role", "token"])
def test_what_is_taken_away_counts_for_the_next_call(team: TeamServer, mode: str, used: str) -> None:
    """In one conversation, on one connection: the role of the person behind a token, or the token."""
    here = team.here
    here.workspaces.share(team.anns, BOB.id, Role.VIEWER, ANN.id)
    token = here.agent_tokens.make(team.anns, "Codex", Role.VIEWER, BOB.id)

    async def work(client: Any) -> Any:
        before = await client.call_tool("list_documents", {})
        if used == "role":
            here.workspaces.unshare(team.anns, BOB.id, ANN.id)
        else:
            here.agent_tokens.revoke(here.agent_tokens.find(token).id, BOB.id)
        with pytest.raises(MCPError):
            await client.call_tool("list_documents", {})
        return before

    before = ask(team.address, work, token=token, mode=mode)
    assert not before.is_error
    assert call(team.address, "list_documents", token=token).status == 401


def test_a_person_who_searches_in_a_loop_is_slowed_down(team: TeamServer) -> None:
    """By a sentence; reading goes on, and nobody else's searches are refused."""
    anns, bobs = (
        team.here.agent_tokens.make(id, "Loop", Role.VIEWER, one.id) for one, id in ((ANN, team.anns), (BOB, team.bobs))
    )

    async def work(client: Any) -> tuple[list[bool], bool]:
        failed: list[bool] = []

        async def one() -> None:
            for _ in range(15):
                failed.append(bool((await client.call_tool("search", {"query": "backup", "mode": "text"})).is_error))

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(one)
        return failed, bool((await client.call_tool("toc", {"doc": "guide_handbook"})).is_error)

    failed, reading = ask(team.address, work, token=anns)
    assert len(failed) == 120
    assert failed.count(False) >= SEARCHES_AT_ONCE
    assert not reading
    assert not call(team.address, "search", {"query": "pump", "mode": "text"}, token=bobs).refused


def test_a_token_that_is_revoked_or_expires_counts_for_nothing(team: TeamServer) -> None:
    """From the next call on; another one of the same person still does."""
    here = team.here
    first, second, third = (
        here.agent_tokens.make(team.anns, name, Role.VIEWER, ANN.id) for name in ("One", "Two", "Three")
    )
    assert len(documents(team, first)) == 3
    here.agent_tokens.revoke(here.agent_tokens.find(first).id, ANN.id)
    assert call(team.address, "list_documents", token=first).status == 401
    with here.directory.writing() as connection:
        connection.execute("UPDATE agent_tokens SET expires = made WHERE id = ?", (here.agent_tokens.find(second).id,))
    assert call(team.address, "list_documents", token=second).status == 401
    assert len(documents(team, third)) == 3


def test_what_a_token_may_change_follows_its_person(team: TeamServer) -> None:
    """Tools that change something are listed for editors alone; who becomes a viewer cannot call them any more."""
    here = team.here
    here.workspaces.share(team.anns, BOB.id, Role.EDITOR, ANN.id)
    tokens = {
        role: here.agent_tokens.make(team.anns, role.capitalize(), role, BOB.id) for role in (Role.VIEWER, Role.EDITOR)
    }

    async def names(client: Any) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    assert "delete" not in ask(team.address, names, token=tokens[Role.VIEWER])
    assert "delete" in ask(team.address, names, token=tokens[Role.EDITOR])
    (first, *_) = documents(team, tokens[Role.EDITOR])
    here.workspaces.share(team.anns, BOB.id, Role.VIEWER, ANN.id)
    assert "delete" not in ask(team.address, names, token=tokens[Role.EDITOR])
    assert call(team.address, "delete", {"ids": [first]}, token=tokens[Role.EDITOR]).refused
    assert first in documents(team, tokens[Role.EDITOR])


def test_what_an_agent_collects_is_its_persons(team: TeamServer) -> None:
    """Through the queue of jobs; the list of what was done names the person and the token."""
    token = team.here.agent_tokens.make(team.bobs, "Gatherer", Role.EDITOR, BOB.id)
    (team.inbox / "valve.md").write_text("# Valve\n\nClose the quixotic valve.", encoding="utf-8")
    reply = call(team.address, "collect", {"path": "valve.md"}, token=token)
    assert not reply.refused, reply.body
    matches = call(team.address, "search", {"query": "quixotic", "mode": "text"}, token=token)
    assert "valve" in matches.text
    lines = team.here.workspaces.activity_of(team.bobs, BOB.id)
    assert any("Gatherer" in line.name and line.person == BOB.id for line in lines if "token" not in line.what)
    outside = call(team.address, "collect", {"path": "/etc/passwd"}, token=token)
    assert outside.refused
    assert call(team.address, "delete", {"ids": reply.result["structuredContent"]["added"]}, token=token).status == 200


def test_a_text_is_collected_where_no_file_may_be_read(team: TeamServer) -> None:
    """A shared server reads files of named folders alone; a text is none."""
    token = team.here.agent_tokens.make(team.bobs, "Writer", Role.EDITOR, BOB.id)
    reply = call(team.address, "collect", {"text": "# Tap\n\nOpen the umbrageous tap.", "name": "tap.md"}, token=token)
    assert not reply.refused, reply.body
    assert "tap" in call(team.address, "search", {"query": "umbrageous", "mode": "text"}, token=token).text


@pytest.mark.parametrize(
    ("tool", "arguments"), [("toc", {"doc": "nobody"}), ("fetch", {"id": "nobody"}), ("show_chunks", {"doc": "nobody"})]
)
def test_a_refusal_names_no_folder_of_the_server(team: TeamServer, tool: str, arguments: dict[str, str]) -> None:
    """As on the pages."""
    token = team.here.agent_tokens.make(team.anns, "Curious", Role.VIEWER, ANN.id)
    reply = call(team.address, tool, arguments, token=token)
    assert reply.refused
    assert str(team.here.settings.home) not in reply.body
    assert "nobody" in reply.body
