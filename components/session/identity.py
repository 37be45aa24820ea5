"""Who is asking: the one place of the app that answers it, from the sign-in of the browser that the session belongs to."""

from __future__ import annotations

import logging
import os
import secrets
import sys
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from chunking.allowed import allow
from chunking.deployment import LOCAL, Deployment, Mode, Person, SignIn, Snapshot, operator_settings, person_id
from chunking.deployment.demo.visit_cookies import token_of
from chunking.deployment.demo.visits import visit_id
from chunking.deployment.operator.operator_actions import OperatorActions
from chunking.deployment.people.invitations import is_token as is_invitation
from chunking.deployment.snapshots.snapshots import ADDRESSED
from chunking.errors import AccessError
from chunking.llm.metering import Meter, meter_by
from chunking.project import LIBRARY, PROJECT
from components.kit.wording import hide_folder
from components.session.session_reset import is_anothers

__all__ = [
    "COOKIE",
    "INVITED",
    "INVITED_COOKIE",
    "SECURE_COOKIE",
    "asker",
    "asker_at_door",
    "counted_as",
    "deployment",
    "invited",
    "is_operator",
    "is_signed_in",
    "issued",
    "leave_snapshot",
    "operator_actions",
    "paid_by",
    "signed_out",
    "snapshot",
    "snapshot_token",
    "visitor_token",
    "vouched_for",
]

COOKIE = "chunkscope_visit"
"""Name of the cookie that tells a visitor of a demo."""
SECURE_COOKIE = f"__Host-{COOKIE}"
"""Its name over HTTPS: browsers take it from this host alone, not from one beside or above it."""
INVITED = "invitation"
"""Key of the address that holds the token of an invitation."""
INVITED_COOKIE = "chunkscope_invitation"
"""Name of the cookie that keeps one through a sign-in, which comes back to the bare address."""
_VISIT, _SNAPSHOT, _COUNTED = "identity.visit", "identity.snapshot", "identity.counted"
_VARIABLES = ("CHUNKSCOPE_MODE", "CHUNKSCOPE_HOME", "CHUNKSCOPE_SETTINGS", "CHUNKSCOPE_WORKSPACE")
"""What tells one deployment from another; a page asks for it many times a run."""


def deployment() -> Deployment:
    """What this server runs, by its operator's settings: read once, a change counts from the next start.

    Each call also has its list of what may be named hold (`allow`), and requests to models counted (`meter_by`), in this whole process.

    Raises:
        ConfigError: a setting cannot be used.
    """
    here = _deployment(tuple(os.environ.get(name, "") for name in _VARIABLES))
    allow(here.allowed)
    meter_by(_meter)
    return here


def _meter() -> Meter | None:
    """Counts what the person of this session asks of models of a server; None in a thread that belongs to no session."""
    here = deployment()
    payer = paid_by() if here.settings.shared and get_script_run_ctx(suppress_warning=True) is not None else ""
    return here.quotas.meter(payer) if payer else None


@lru_cache(maxsize=4)
def _deployment(values: tuple[str, ...]) -> Deployment:
    made = Deployment(operator_settings())
    if made.settings.shared:
        hide_folder(str(made.settings.home.absolute()))
        for folder in _places(made):
            hide_folder(str(folder.expanduser().absolute()), "this server")
    return made


def _places(made: Deployment) -> Iterator[Path]:
    """Folders of the host that a sentence of a library may name."""
    yield from (PROJECT, LIBRARY, Path(sys.prefix), Path(sys.base_prefix), Path.home(), Path(tempfile.gettempdir()))
    yield from (*made.allowed.model_folders, *made.settings.folders)
    if made.settings.sharing.demo_base:
        yield Path(made.settings.sharing.demo_base)


def asker() -> Person | None:
    """The person that this session belongs to; None where they have to sign in first.

    What a client says of itself is never asked: only the sign-in's signed cookie, or the headers that the operator has named.

    Raises:
        ConfigError: a setting of the operator cannot be used.
        AccessError: an operator has suspended the person, the snapshot that they have opened does not stand, or the session was let in
            for somebody else: a part of a page, a dialog and a click's callback run without the door, and the address may have come
            to name a snapshot since.
    """
    person = asker_at_door()
    if person is not None and is_anothers(person.id):
        raise AccessError("This tab was opened for somebody else, or for another snapshot; load the page again.")
    return person


def asker_at_door() -> Person | None:
    """As `asker`, also where the session was another's: for `gate`, which forgets then all that it holds."""
    here = deployment()
    if here.settings.sharing.mode is Mode.LOCAL:
        return LOCAL
    if here.settings.sharing.mode is Mode.DEMO:
        return Person(visit_id(_token()), "Visitor")
    said = _still_signed_in(here)
    if said is None and not (here.settings.sharing.open_snapshots and snapshot_token()):
        return None
    person = here.people.seen(said) if said is not None else None
    if person is not None and person.suspended:
        raise AccessError("An operator has suspended your account here; ask them why.")
    found = snapshot()
    # Who reads a snapshot has its rights and no others, whoever they are elsewhere.
    return Person(f"snapshot-{found.id}", "Visitor") if found is not None else person


def counted_as() -> str:
    """Whose the searches of this session are: a person's own; those who read a snapshot have one id among them, and are told apart here."""
    person = asker()
    if person is None or not snapshot_token():
        return person.id if person else ""
    return f"{person.id}/{st.session_state.setdefault(_COUNTED, secrets.token_hex(8))}"


def paid_by() -> str:
    """For whom requests to models of a server count that this session sends; empty where they have to sign in first.

    In a snapshot that is who reads it where they are signed in, as anywhere else, and who made it where they are not: each snapshot
    would else come with a limit of its own.
    """
    here, person = deployment(), asker()
    found = snapshot() if person is not None else None
    if person is None or found is None:
        return person.id if person is not None else ""
    said = _still_signed_in(here)
    return said.id if said is not None else found.made_by


def snapshot() -> Snapshot | None:
    """The snapshot that this session reads; None where it works in workspaces. Who may open one, `asker` decides.

    Raises:
        AccessError: the token of its address is forged, or the snapshot does not stand any more.
    """
    token = snapshot_token()
    if not token:
        return None
    known = st.session_state.get(_SNAPSHOT) == token
    st.session_state[_SNAPSHOT] = token
    return deployment().snapshots.find(token) if known else deployment().snapshots.visit(token)


def snapshot_token() -> str:
    """What the address that this session was opened with has of one, as it stands there; empty in the modes local and demo."""
    if deployment().settings.sharing.mode is not Mode.TEAM:
        return ""
    return str(st.query_params.get(ADDRESSED) or st.session_state.get(_SNAPSHOT, ""))


def leave_snapshot() -> None:
    """Work in workspaces again, or stand before the door."""
    st.session_state.pop(_SNAPSHOT, None)
    st.query_params.pop(ADDRESSED, None)


def is_signed_in() -> bool:
    """Whether the sign-in of this app vouches for somebody, whom it can sign out: a proxy's it cannot."""
    way = deployment().settings.sharing.sign_in
    return way is SignIn.OIDC and _signed_in(way) is not None


def _token() -> str:
    """What the server gave to this browser; one for this session alone where the app runs without serve.py, or without cookies."""
    return _cookie() or str(st.session_state.setdefault(_VISIT, secrets.token_urlsafe(32)))


def invited() -> str:
    """The token of the invitation that this browser opened before it signed in; empty where there is none. Its signature is not checked."""
    kept = str(st.context.cookies.get(INVITED_COOKIE, ""))
    return kept if is_invitation(kept) else ""


def _cookie() -> str:
    """The token in the cookie that the browser of this session has sent; empty where there is none of this deployment's."""
    return visitor_token(st.context.cookies)


def visitor_token(cookies: Mapping[str, str]) -> str:
    """The token in a demo visitor's cookie; empty where this deployment has issued none of them."""
    return token_of(deployment().settings.home, cookies.get(SECURE_COOKIE) or cookies.get(COOKIE, ""))


def _signed_in(way: SignIn) -> Person | None:
    """Whom the sign-in vouches for, in this session."""
    return vouched_for(st.user.to_dict(), way)


def vouched_for(said: Mapping[str, object], way: SignIn) -> Person | None:
    """Whom the sign-in vouches for.

    Args:
        said: what the signed cookie says, or the headers that the operator has named.
    """
    verified = said.get("email_verified")
    said = {key: value for key, value in said.items() if isinstance(value, (str, bool))}
    if way is SignIn.OIDC:
        subject, issuer = said.get("sub"), said.get("iss") or said.get("provider") or ""
        if not said.get("is_logged_in") or not subject:
            return None
    else:
        subject, issuer = said.get("sub") or said.get("email"), SignIn.PROXY
        if not subject or not st.get_option("server.trustedUserHeaders"):
            return None
    address = str(said.get("email") or "").strip()
    email = address if _is_plain(address) and _is_verified(verified, way) else ""
    return Person(person_id(str(issuer), str(subject)), str(said.get("name") or email or "Somebody"), email)


def _is_plain(address: str) -> bool:
    """Whether an e-mail address is there and cannot be taken for somebody else's: operators and people are told by it.

    An invisible letter, or one that is another's in small letters, is in nobody's address but in that of who would be taken for them.
    """
    printed = address.isprintable() and not any(map(str.isspace, address))
    return bool(address) and printed and unicodedata.normalize("NFKC", address) == address


def _is_verified(said: object, way: SignIn) -> bool:
    """Whether an address decides anything, such as who is an operator: where whoever vouches for people says that it is verified.

    Args:
        said: the claim `email_verified`; None where there is none. Some providers send it as text.
    """
    if said is not None:
        return str(said).lower() == "true"
    if way is SignIn.PROXY or deployment().settings.sharing.trust_email:
        return True  # the operator has named the header, or the provider
    _tell_unverified()
    return False


@lru_cache(maxsize=1)
def _tell_unverified() -> None:
    """In the log, once: an operator would look for the cause elsewhere."""
    logging.getLogger(__name__).warning(
        "The sign-in provider does not say whether e-mail addresses are verified (no claim email_verified), so none is taken: nobody is "
        "an operator, and workspaces are shared by invitation only. Where people cannot choose theirs, set CHUNKSCOPE_TRUST_EMAIL."
    )


def _still_signed_in(here: Deployment) -> Person | None:
    """Whom the sign-in vouches for, unless an operator has signed them out since."""
    way = here.settings.sharing.sign_in
    said = _signed_in(way)
    return None if said is not None and signed_out(said, way, _signed_in_at()) else said


def signed_out(person: Person, way: SignIn, at: float) -> bool:
    """Whether an operator has signed somebody out after the provider vouched for them; a proxy says anew with every request who it is.

    Args:
        at: `issued` of what the sign-in said.
    """
    since = deployment().people.signed_out(person.id) if way is SignIn.OIDC else 0.0
    return since > 0 and at <= since


def issued(said: Mapping[str, object]) -> float:
    """When the provider vouched for a person, in seconds since 1970: every token of OpenID Connect says it; 0 where one does not."""
    at = said.get("iat")
    return float(at) if isinstance(at, (int, float)) else 0.0


def _signed_in_at() -> float:
    return issued(st.user.to_dict())


def is_operator() -> bool:
    """Whether who is asking sees the page for operators: in the mode team who is named, in others nobody, since nobody signs in."""
    here, person = deployment(), asker()
    return person is not None and here.settings.sharing.mode is Mode.TEAM and here.is_operator(person)


def operator_actions() -> OperatorActions:
    """The deployment in the hands of who is asking. Raises AccessError for who is no operator, in the mode local for everybody."""
    person = asker()
    if person is None or not is_operator():
        raise AccessError("This page is for operators of the deployment.")
    return OperatorActions(deployment(), person)
