"""The person of a session, as the browser's sign-in identifies them.

To Streamlit a session is a browser tab: if another person signs in there, it is cleared.
"""

from __future__ import annotations

import logging
import secrets
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

import streamlit as st

from chunking.deployment import Mode, Person, SignIn
from chunking.deployment.deployment import SNAPSHOT_KEY
from chunking.errors import AccessError
from components.session.host import deployment, host
from components.session.page.once_per_run import forget_answers
from hosting.demo.visit_cookies import token_of
from hosting.demo.visits import visit_id
from hosting.hosted_deployment import HostedDeployment
from hosting.operators.operator_actions import OperatorActions
from hosting.people.invitations import is_token as is_invitation
from hosting.people.people import person_id
from hosting.snapshots import Snapshot

__all__ = [
    "COOKIE",
    "INVITED",
    "INVITED_COOKIE",
    "SECURE_COOKIE",
    "counted_as",
    "hosted",
    "invited",
    "is_signed_in",
    "issued",
    "leave_snapshot",
    "member",
    "operator_actions",
    "own_session",
    "paid_by",
    "reset_for_other_person",
    "signed_out",
    "snapshot",
    "snapshot_token",
    "visitor",
    "visitor_token",
    "vouched_for",
]

COOKIE = "chunkscope_visit"
"""Name of the cookie that identifies a demo visitor."""
SECURE_COOKIE = f"__Host-{COOKIE}"
"""Its name over HTTPS: browsers take it from this host alone, not from neighbouring or parent domains."""
INVITED = "invitation"
"""Query parameter with the token of an invitation."""
INVITED_COOKIE = "chunkscope_invitation"
"""Name of the cookie that keeps an invitation through a sign-in, which comes back to the bare address."""
_VISIT, _SNAPSHOT, _COUNTED = "identity.visit", "identity.snapshot", "identity.counted"

_WHOSE = "identity.whose"


def hosted() -> HostedDeployment:
    """Return the deployment of this server, in the modes demo and team."""
    here = deployment()
    assert isinstance(here, HostedDeployment)
    return here


def own_session(person: Person | None) -> Person | None:
    """Return `person` unchanged, also None; raise if this session was opened for another one.

    Fragments, dialogs and callbacks run without `gate`, and the address may have come to name a snapshot since.

    Raises:
        AccessError: the session was opened for another person.
    """
    if person is not None and is_anothers(person.id):
        raise AccessError("This tab was opened for someone else, or for another snapshot; reload the page.")
    return person


def visitor() -> Person:
    """Return the demo visitor of this session's browser."""
    return Person(visit_id(_token()), "Visitor")


def member() -> Person | None:
    """Return the team member or snapshot reader of this session; None if they have to sign in.

    Notes a member's visit in the directory, and the session's first look at a snapshot.

    Only the sign-in's signed cookie counts, or the headers that the operator has named.

    Raises:
        AccessError: an operator has suspended them, or their snapshot is closed.
    """
    here = hosted()
    signed_in = _still_signed_in(here)
    if signed_in is None and not (here.settings.sharing.open_snapshots and snapshot_token()):
        return None
    person = here.people.record_visit(signed_in) if signed_in is not None else None
    if person is not None and person.suspended:
        raise AccessError("An operator has suspended your account here; ask them why.")
    frozen = snapshot()
    # Who reads a snapshot has its rights and no others, whoever they are elsewhere.
    return Person(f"snapshot-{frozen.id}", "Visitor") if frozen is not None else person


def snapshot() -> Snapshot | None:
    """Return the snapshot that this session reads, if any, and count one visit per session.

    Does not check the sign-in: `member` decides who may open one.

    Raises:
        AccessError: the token in the address is forged, or the snapshot is closed.
    """
    token = snapshot_token()
    if not token:
        return None
    is_open = st.session_state.get(_SNAPSHOT) == token
    st.session_state[_SNAPSHOT] = token
    return hosted().snapshots.find(token) if is_open else hosted().snapshots.visit(token)


def snapshot_token() -> str:
    """Return the unchecked token of the snapshot that this session was opened with; empty for none.

    Always empty in the modes local and demo.
    """
    if deployment().settings.sharing.mode is not Mode.TEAM:
        return ""
    return str(st.query_params.get(SNAPSHOT_KEY) or st.session_state.get(_SNAPSHOT, ""))


def leave_snapshot() -> None:
    """Leave the snapshot: back to the workspaces, or to the sign-in."""
    st.session_state.pop(_SNAPSHOT, None)
    st.query_params.pop(SNAPSHOT_KEY, None)


def is_signed_in() -> bool:
    """True if the session's person signed in by OIDC, so that this app can sign them out."""
    sign_in = deployment().settings.sharing.sign_in
    return sign_in is SignIn.OIDC and _signed_in(sign_in) is not None


def _token() -> str:
    """Return this browser's visitor token; one for this session alone without serve.py or without cookies."""
    return _cookie() or str(st.session_state.setdefault(_VISIT, secrets.token_urlsafe(32)))


def invited() -> str:
    """Return the token of the invitation that this browser opened before its sign-in, or empty.

    Its signature is not checked.
    """
    token = str(st.context.cookies.get(INVITED_COOKIE, ""))
    return token if is_invitation(token) else ""


def _cookie() -> str:
    return visitor_token(st.context.cookies)


def visitor_token(cookies: Mapping[str, str]) -> str:
    """Return the token in a demo visitor's cookie; empty if this deployment did not issue it."""
    return token_of(deployment().settings.home, cookies.get(SECURE_COOKIE) or cookies.get(COOKIE, ""))


def _signed_in(sign_in_kind: SignIn) -> Person | None:
    return vouched_for(st.user.to_dict(), sign_in_kind)


def vouched_for(said: Mapping[str, object], sign_in_kind: SignIn) -> Person | None:
    """Return the signed-in person, without an unverified e-mail address; None for nobody.

    Args:
        said: claims of the signed cookie, or the headers that the operator has named.
    """
    verified = said.get("email_verified")
    said = {key: value for key, value in said.items() if isinstance(value, (str, bool))}
    if sign_in_kind is SignIn.OIDC:
        subject, issuer = said.get("sub"), said.get("iss") or said.get("provider") or ""
        if not said.get("is_logged_in") or not subject:
            return None
    else:
        subject, issuer = said.get("sub") or said.get("email"), SignIn.PROXY
        if not subject or not st.get_option("server.trustedUserHeaders"):
            return None
    address = str(said.get("email") or "").strip()
    email = address if _is_plain(address) and _is_verified(verified, sign_in_kind) else ""
    return Person(person_id(str(issuer), str(subject)), str(said.get("name") or email or "Somebody"), email)


def _is_plain(address: str) -> bool:
    """True if an e-mail address is there and unambiguous: it identifies operators and people.

    Invisible characters and compatibility forms of letters occur only in addresses that imitate another one.
    """
    printed = address.isprintable() and not any(map(str.isspace, address))
    return bool(address) and printed and unicodedata.normalize("NFKC", address) == address


def _is_verified(said: object, sign_in_kind: SignIn) -> bool:
    """True if an address counts, such as for operators: the provider says that it is verified.

    Args:
        said: the claim `email_verified`; None for none. Some providers send it as text.
    """
    if said is not None:
        return str(said).lower() == "true"
    if sign_in_kind is SignIn.PROXY or deployment().settings.sharing.trust_email:
        return True  # the operator has named the header, or the provider
    _tell_unverified()
    return False


@lru_cache(maxsize=1)
def _tell_unverified() -> None:
    """Warn once in the log: an operator would look for the cause elsewhere."""
    logging.getLogger(__name__).warning(
        "The sign-in provider does not say whether e-mail addresses are verified (no claim email_verified), "
        "so none is accepted: nobody is an operator, and workspaces are shared by invitation only. If people "
        "cannot choose their addresses, set CHUNKSCOPE_TRUST_EMAIL."
    )


def _still_signed_in(here: HostedDeployment) -> Person | None:
    """Return the person of the sign-in, unless an operator has signed them out since."""
    sign_in = here.settings.sharing.sign_in
    person = _signed_in(sign_in)
    return None if person is not None and signed_out(person, sign_in, _signed_in_at()) else person


def signed_out(person: Person, sign_in_kind: SignIn, at: float) -> bool:
    """True if an operator signed a person out after the provider vouched for them.

    A proxy identifies people anew with every request, so they are never signed out.

    Args:
        at: `issued` of the sign-in's claims.
    """
    since = hosted().people.signed_out(person.id) if sign_in_kind is SignIn.OIDC else 0.0
    return since > 0 and at <= since


def issued(said: Mapping[str, object]) -> float:
    """Return when a sign-in's claims were issued (`iat`), in seconds since 1970; 0 if unknown."""
    at = said.get("iat")
    return float(at) if isinstance(at, (int, float)) else 0.0


def _signed_in_at() -> float:
    return issued(st.user.to_dict())


def operator_actions() -> OperatorActions:
    """Return the operator's actions for the session's user.

    Raises:
        AccessError: they are no operator.
    """
    person = host().user()
    if person is None or not host().is_operator():
        raise AccessError("This page is for operators of the deployment.")
    return OperatorActions(hosted(), person)


def paid_by(person: Person | None) -> str:
    """Return the id of the person whose model quota a session uses; empty before a sign-in.

    A snapshot's reader if they are signed in, else its maker: otherwise each snapshot would add a quota of its own.
    """
    frozen = snapshot() if person is not None else None
    if person is None or frozen is None:
        return person.id if person is not None else ""
    reader = _still_signed_in(hosted())
    return reader.id if reader is not None else frozen.made_by


def counted_as(person: Person | None) -> str:
    """Return the id under which a session's searches count; for a snapshot, one per session."""
    if person is None or not snapshot_token():
        return person.id if person else ""
    return f"{person.id}/{st.session_state.setdefault(_COUNTED, secrets.token_hex(8))}"


def reset_for_other_person(person: str) -> bool:
    """Note the session's person; clear session and address if it was another's.

    Args:
        person: an id; empty if nobody is signed in.
    Returns:
        True if it was another's.
    """
    before = st.session_state.get(_WHOSE)
    other = bool(before) and before != person
    if other:
        forget_answers()
        st.session_state.clear()
        st.query_params.clear()
    st.session_state[_WHOSE] = person
    return other


def is_anothers(person: str) -> bool:
    """True if this session was opened for another person and is not cleared yet.

    Args:
        person: an id.
    """
    noted = st.session_state.get(_WHOSE)
    return bool(noted) and noted != person
