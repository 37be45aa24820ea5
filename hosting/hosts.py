"""The hosts of demos and teams: the server's services for the pages (`components.session.host`).

Light to import: a request asks for its host before any page is drawn. What draws is imported when it draws, after
`import_pages` has made the imports of `scripts`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from chunking.deployment import Deployment, Mode, Person, SharedWorkspace
from chunking.deployment.deployment import SNAPSHOT_KEY
from chunking.errors import AccessError, ChunkscopeError
from chunking.paths import LIBRARY, PROJECT
from chunking.store import Role, RoleAccess
from chunking.store.copies.home_folder import COPY
from components.kit.wording import hide_folder
from components.session.host import (
    AgentGrant,
    AgentRequest,
    Current,
    LocalHost,
    UploadHolder,
    chosen_id,
    listed_workspace,
)
from hosting.hosted_deployment import HostedDeployment
from hosting.people import identity
from hosting.server.upload_room import upload_room

__all__ = ["DemoHost", "TeamHost", "open_host"]

_FOLDER = Path(__file__).parent
_PAGE = "operators"
_BEARER = "bearer"
_TOKEN_NEEDED = (
    "Send a token of this deployment (Authorization: Bearer csk_...); anyone with a role in a workspace can make "
    "one in the app under Share and activity, Agents."
)


class SharedHost(LocalHost):
    """Common base of the demo's and the team's host; it hides the server's folders in messages."""

    deployment: HostedDeployment
    scripts = (_FOLDER / "page_parts.py", _FOLDER / "pages" / "operators.py")

    def __init__(self, deployment: HostedDeployment) -> None:
        super().__init__(deployment)
        hide_folder(str(deployment.settings.home.absolute()))
        for folder in _folders(deployment):
            hide_folder(str(folder.expanduser().absolute()), "this server")

    def counted_as(self) -> str:
        return identity.counted_as(self.user())

    def person_name(self, id: str) -> str:
        person = self.deployment.people.get(id)
        return person.name if person else ""

    def watch_uploads(self, holder: UploadHolder) -> None:
        person = self.user()
        upload_room().watch(holder, person.id if person else "")

    def prepare(self) -> bool:
        return True

    def admit(self) -> None:
        from hosting import page_parts

        page_parts.gate(identity.member if self.deployment.settings.sharing.mode is Mode.TEAM else identity.visitor)

    def draw_llm_usage(self) -> None:
        from hosting import page_parts

        payer = self.paid_by()
        if payer and not identity.snapshot_token():
            page_parts.draw_llm_usage(payer)


class DemoHost(SharedHost):
    """Host of a demo: every visitor works in a copy of one workspace."""

    def user(self) -> Person | None:
        return identity.own_session(identity.visitor())

    def paid_by(self) -> str:
        person = self.user()
        return person.id if person else ""

    def current(self) -> Current:
        person = self.user()
        assert person is not None
        uri = str(self.deployment.visits.folder / person.id / COPY)
        return Current(person.id, "Your copy", uri, self.deployment.access_to(uri, person.id))

    def choices(self) -> list[SharedWorkspace]:
        return []

    def agent_grant(self, request: AgentRequest) -> AgentGrant:
        """Grant read access to the demo's base; searches and requests count by network address."""
        from hosting import page_parts

        uri = page_parts.demo_base().uri
        return AgentGrant("", uri, RoleAccess(Role.VIEWER), f"agent-{request.client}")

    def prepare(self) -> bool:
        from hosting import page_parts

        page_parts.demo_base()
        return True

    def note_click(self, now: Current) -> bool:
        from hosting import page_parts

        return page_parts.note_click(now)

    def draw_menu(self) -> bool:
        from hosting import page_parts

        page_parts.demo_menu()
        return True


class TeamHost(SharedHost):
    """Host of a team: people sign in and share workspaces; snapshots are read by address."""

    def user(self) -> Person | None:
        return identity.own_session(identity.member())

    def paid_by(self) -> str:
        return identity.paid_by(self.user())

    def is_operator(self) -> bool:
        person = self.user()
        return person is not None and self.deployment.is_operator(person)

    def current(self) -> Current:
        person = self.user()
        if person is None:
            raise AccessError("Sign in to see a workspace.")
        frozen, snapshots = identity.snapshot(), self.deployment.snapshots
        if frozen is not None:
            return Current(frozen.id, frozen.name, str(snapshots.place(frozen.id)), snapshots.access(frozen))
        return listed_workspace(self.deployment, chosen_id(lambda: self.deployment.first_workspace(person)), person)

    def choices(self) -> list[SharedWorkspace]:
        person = self.user()
        return [] if person is None or identity.snapshot_token() else self.deployment.workspaces.of(person.id)

    def linked(self) -> dict[str, str]:
        token = identity.snapshot_token()
        return {SNAPSHOT_KEY: token} if token else super().linked()

    def owners(self, now: Current) -> list[str]:
        person = self.user()
        try:
            shares = self.deployment.workspaces.shares(now.id, person.id) if person else []
        except ChunkscopeError:
            return []
        return [name for one in shares if one.role is Role.OWNER and (name := self.person_name(one.person))]

    def agent_grant(self, request: AgentRequest) -> AgentGrant:
        """Grant access by the bearer token alone, never by cookies or a proxy's headers.

        A browser sends those unasked.

        Raises:
            AccessError: there is no usable token.
        """
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != _BEARER or not secret.strip():
            raise AccessError(_TOKEN_NEEDED)
        tokens = self.deployment.agent_tokens
        token = tokens.use(secret.strip())
        uri = str(self.deployment.workspaces.place(token.workspace))
        return AgentGrant(token.workspace, uri, tokens.access(token), token.person, token.id, token.name)

    def token_dialog(self) -> Callable[[], object] | None:
        from hosting import page_parts

        return partial(page_parts.share_dialog, "Agents")

    def no_agents(self) -> str:
        if not identity.snapshot_token():
            return ""
        return "Agents cannot read a snapshot. Open the workspace itself to connect one."

    def admit(self) -> None:
        from hosting import page_parts

        super().admit()
        page_parts.answer_invitation()

    def pages(self) -> list[StreamlitPage]:
        if not self.is_operator():
            return []
        return [st.Page("hosting/pages/operators.py", title="Operators", url_path=_PAGE)]

    def draw_menu(self) -> bool:
        from hosting import page_parts

        if identity.snapshot() is None:
            return False
        page_parts.snapshot_menu()
        return True

    def draw_actions(self, now: Current) -> None:
        from hosting import page_parts

        page_parts.draw_share_button()

    def draw_account(self) -> None:
        from hosting import page_parts

        person = self.user()
        if person is not None:
            page_parts.draw_account(person)

    def draw_above(self, page: str) -> bool:
        from hosting import page_parts

        if page_parts.snapshot_line() or page == _PAGE:
            return False
        page_parts.others_changes()
        return True

    def draw_instead(self, page: str) -> bool:
        from hosting import page_parts

        return page_parts.snapshot_results(page)


def open_host(deployment: Deployment) -> SharedHost:
    """Return a `TeamHost` in team mode, else a `DemoHost`."""
    assert isinstance(deployment, HostedDeployment)
    return (TeamHost if deployment.settings.sharing.mode is Mode.TEAM else DemoHost)(deployment)


def _folders(here: Deployment) -> Iterator[Path]:
    """Yield folders of this machine that libraries may name in error messages."""
    yield from (PROJECT, LIBRARY, Path(sys.prefix), Path(sys.base_prefix), Path.home(), Path(tempfile.gettempdir()))
    yield from (*here.allowed.model_folders, *here.settings.folders)
    if here.settings.sharing.demo_base:
        yield Path(here.settings.sharing.demo_base)
