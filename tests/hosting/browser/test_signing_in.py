"""A team in the browser: two people sign in through a provider, one shares a workspace, and takes it back while it is
open.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking.deployment import Person, operator_settings
from chunking.store import Role, Workspace
from hosting.hosted_deployment import HostedDeployment
from hosting.snapshots import Shows
from tests.browser.app import free_port, new_tab, running_app, wait_for

pytestmark = pytest.mark.browser

PEOPLE = [
    {"sub": name.lower(), "name": name, "email": f"{name.lower()}@example.com", "email_verified": True}
    for name in ("Ann", "Bob")
]


@contextmanager
def provider() -> Iterator[str]:
    """A provider of OpenID Connect in a process of its own, which knows the people; its address."""
    port = free_port()
    claims = [text for person in PEOPLE for text in ("--user-claims", json.dumps(person))]
    command = [sys.executable, "-m", "oidc_provider_mock", "--host", "127.0.0.1", "--port", str(port), *claims]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/.well-known/openid-configuration")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of the deployment."""
    return tmp_path_factory.mktemp("team") / "home"


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    """A deployment of a team, with a provider of its own."""
    port, secrets = free_port(), home.with_name("secrets.toml")
    with provider() as issuer:
        secrets.write_text(
            f'[auth]\nredirect_uri = "http://127.0.0.1:{port}/oauth2callback"\ncookie_secret = '
            f'"{"x" * 40}"\nclient_id = "chunkscope"\n'
            f'client_secret = "s"\nserver_metadata_url = "{issuer}/.well-known/openid-configuration"\n',
            encoding="utf-8",
        )
        environment = {"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}
        options = ("--secrets.files", str(secrets))
        with running_app(
            home, "serve.py", stand_in=True, port=port, options=options, environment=environment
        ) as result:
            yield result


def signed_in(browser: Browser, address: str, name: str, link: str = "") -> Page:
    """A browser of somebody's own, signed in."""
    tab = new_tab(browser, alone=True)
    tab.goto(f"{address}/documents")
    tab.get_by_role("button", name="Sign in").click()
    tab.get_by_role("button", name=name.lower(), exact=True).click()
    expect(tab.locator(".st-key-workspace-switcher button").first).to_be_visible()
    if link:
        tab.goto(f"{address}/documents?workspace={link}")
    return tab


def test_a_workspace_is_shared_and_taken_back(browser: Browser, address: str, home: Path) -> None:
    """Bob sees nothing of Ann's, then reads and cannot write, then is told at his next click that it is closed."""
    ann = signed_in(browser, address, "Ann")
    expect(ann.get_by_text("Sample documents").or_(ann.get_by_role("heading", name="Documents")).first).to_be_visible()
    here = HostedDeployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    people = {person.name: person.id for person in here.people.all()}
    (ours,) = here.workspaces.of(people["Ann"])
    closed = signed_in(browser, address, "Bob", link=ours.id)
    alert = closed.get_by_test_id("stAlert")
    expect(alert.first).to_be_visible()
    people = {person.name: person.id for person in here.people.all()}
    assert here.workspaces.role(ours.id, people["Bob"]) is None

    ann.locator(".st-key-workspace-switcher button").first.click()
    ann.get_by_role("button", name="Share and activity").click()
    ann.get_by_role("textbox", name="E-mail address").fill("bob@example.com")
    ann.get_by_test_id("stFormSubmitButton").get_by_role("button").click()
    expect(ann.get_by_text("Bob ·").first).to_be_visible()
    assert here.workspaces.role(ours.id, people["Bob"]) is Role.VIEWER

    closed.reload()
    expect(closed.get_by_test_id("stDataFrame").first).to_be_visible()
    expect(alert).to_have_count(0)

    ann.get_by_role("button", name="Remove").click()
    expect(ann.get_by_text("Bob ·")).to_have_count(0)
    closed.get_by_role("link", name="Index").click()
    expect(alert.first).to_be_visible()
    assert [line.name for line in here.activity.of(ours.id)][:2] == [people["Bob"]] * 2


def test_two_editors_see_what_the_other_has_finished(
    browser: Browser, address: str, home: Path, tmp_path: Path
) -> None:
    """A viewer can press nothing that writes. Then each adds a document in the page, and the other is told and shown it
    at a click.
    """
    ann, bob = (signed_in(browser, address, name) for name in ("Ann", "Bob"))
    here = HostedDeployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    people = {person.name: person.id for person in here.people.all()}
    ours = here.workspaces.of(people["Ann"])[0]
    here.workspaces.share(ours.id, people["Bob"], Role.VIEWER, people["Ann"])
    for tab in (ann, bob):
        tab.goto(f"{address}/documents?workspace={ours.id}")
    expect(bob.get_by_test_id("stDataFrame").first).to_be_visible()
    expect(bob.locator("[class*=st-key-documents-delete] button").first).to_be_disabled()
    expect(bob.get_by_test_id("stFileUploaderDropzone").locator("button").first).to_be_disabled()
    here.workspaces.share(ours.id, people["Bob"], Role.EDITOR, people["Ann"])
    bob.reload()
    theirs = Workspace.open(here.workspaces.place(ours.id))
    for writer, reader in ((ann, bob), (bob, ann)):
        expect(writer.get_by_test_id("stDataFrame").first).to_be_visible()
        expect(reader.get_by_test_id("stDataFrame").first).to_be_visible()
        name = "of-ann.md" if writer is ann else "of-bob.md"
        (tmp_path / name).write_text(f"# {name}\n\nA finished change.\n", encoding="utf-8")
        writer.locator("input[type=file]").first.set_input_files(tmp_path / name)
        writer.locator("[class*=st-key-uploads-add] button").first.click()
        output = reader.locator(".st-key-others-changes button").first
        expect(output).to_contain_text(name)
        output.click()
        expect(output).to_have_count(0)
        rows = len(theirs.documents()) + 1  # and its head
        expect(reader.locator("[role=grid]").first).to_have_attribute("aria-rowcount", str(rows))
    assert {line.person for line in here.activity.of(ours.id, most=2)} == {people["Ann"], people["Bob"]}


def test_an_invitation_outlives_the_sign_in(browser: Browser, address: str, home: Path) -> None:
    """Its link is opened by who is not signed in: after the sign-in the click that accepts it is still asked for."""
    here = HostedDeployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    here.people.record_visit(Person("somebody"))
    id = here.workspaces.create("Contracts", "somebody")
    token = here.invitations.make(id, Role.EDITOR, "somebody")
    tab = new_tab(browser, alone=True)
    tab.goto(f"{address}/?invitation={token}")
    tab.get_by_role("button", name="Sign in").click()
    tab.get_by_role("button", name="bob", exact=True).click()
    expect(tab.get_by_text("Contracts").first).to_be_visible()
    bob = next(person.id for person in here.people.all() if person.name == "Bob")
    assert here.workspaces.role(id, bob) is None
    tab.get_by_role("button", name="Accept").click()
    expect(tab.locator(".st-key-workspace-switcher").get_by_text("Contracts")).to_be_visible()
    assert here.workspaces.role(id, bob) is Role.EDITOR
    assert token not in tab.url


def test_the_address_that_was_opened_is_there_after_the_sign_in(browser: Browser, address: str, home: Path) -> None:
    """A page with its settings; then a snapshot, which its visitor reads at once."""
    tab = new_tab(browser, alone=True)
    tab.goto(f"{address}/search?size=177&q=backup")
    tab.get_by_role("button", name="Sign in").click()
    tab.get_by_role("button", name="ann", exact=True).click()
    tab.wait_for_url("**/search?*size=177*")
    expect(tab.locator(".st-key-workspace-switcher button").first).to_be_visible()
    assert "q=backup" in tab.url
    here = HostedDeployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    ann = next(person.id for person in here.people.all() if person.name == "Ann")
    token = here.snapshots.make(here.workspaces.of(ann)[0].id, "Review", Shows.DOCUMENTS, ann)
    tab = new_tab(browser, alone=True)
    tab.goto(f"{address}/documents?snapshot={token}")
    tab.get_by_role("button", name="Sign in").click()
    tab.get_by_role("button", name="bob", exact=True).click()
    expect(tab.get_by_text("Review").first).to_be_visible()
    expect(tab.get_by_test_id("stDataFrame").first).to_be_visible()
    assert f"snapshot={token}" in tab.url


@contextmanager
def other_site(content: str) -> Iterator[str]:
    """A server of another origin that shows one page; its address. A page that a test only makes up has no network to
    be of.
    """

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, format: str, *of: object) -> None:
            """Nothing is written down."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_another_sites_page_shows_nothing_of_the_app(browser: Browser, address: str) -> None:
    """It would get the clicks of who is signed in; a page of the app's own host may show it, as a service that hosts it
    does.
    """
    tab, frame = new_tab(browser, alone=True), f'<iframe src="{address}/"></iframe>'
    shown = tab.frame_locator("iframe").get_by_role("button", name="Sign in")
    with other_site(frame) as elsewhere, tab.expect_console_message(lambda message: "frame-ancestors" in message.text):
        tab.goto(elsewhere)
    expect(shown).to_have_count(0)
    own = f"{address}/media/outer"
    tab.route(own, lambda route: route.fulfill(content_type="text/html", body=frame))
    tab.goto(own)
    expect(shown).to_be_visible()
