"""What a visitor may name: forms offer nothing else, and a page says the same of what is forbidden and of what does not
exist.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.allowed import PACKAGED
from chunking.config import DEFAULT_MODEL, ENGLISH_MODEL, Config
from chunking.config.config import value_label
from chunking.deployment.forbidden_settings import forbidden
from chunking.embedding.model_folder import find_model
from chunking.errors import ConfigError
from components.kit.wording import hide_folder, without_folders
from components.session import host
from components.session.settings.settings_row import read_configuration
from hosting.people import identity
from tests.pages.app_session import ROOT, open_link, open_page, run_app

GONE = "no-such-thing-on-this-machine"
_LLM = value_label("enrich.generator", "llm").lower()
TRIED = ["/etc/passwd", "../..", "http://169.254.169.254/", "os.system", "remote:small"]


@pytest.fixture
def visitor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a demo, each session a visitor. A language model is configured and not allowed."""
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CHUNKSCOPE_SPLITTERS", "lines=builtins:str.splitlines")
    for kind in ("LLM", "EMBEDDING"):
        monkeypatch.setenv(f"CHUNKSCOPE_{kind}_URL", "http://10.1.2.3:8000/v1")
        monkeypatch.setenv(f"CHUNKSCOPE_{kind}_MODEL", "small")
    monkeypatch.setattr(identity, "_cookie", lambda: "")
    return tmp_path / "home"


def shown(app: AppTest) -> str:
    """All words of a page."""
    kinds = (app.markdown, app.caption, app.error, app.warning, app.info, app.success, app.title, app.code)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")


def message_for(name: str, text: str) -> str:
    """A sentence without the name that it is about."""
    message = re.sub(r"'.*'", "NAME", text.replace("\\", ""))
    return message.replace(name, "NAME") if name else message


def test_a_link_cannot_name_what_is_not_allowed(visitor: Path) -> None:
    """It is told, and the rest of the link is used."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {
        "embedding.model": "/etc/passwd",
        "strategy": "custom",
        "splitter": "lines",
        "size": "77",
    }.items():
        app.query_params[key] = value
    run_app(app)
    assert not app.error
    config: Config = app.session_state["share.config"]
    assert (config.embedding.model, config.chunk.splitter, config.chunk.size) == (DEFAULT_MODEL, "", 77)
    assert len(app.warning[0].value.split("\n\n")) >= 2


@pytest.mark.parametrize("name", TRIED)
def test_a_file_of_settings_is_reported_alike_of_what_is_there_and_what_is_not(visitor: Path, name: str) -> None:
    """As a form, which asks the same."""
    host.deployment()
    message = {}
    for one in (name, str(find_model(ENGLISH_MODEL).path), GONE):
        with pytest.raises(ConfigError) as error:
            read_configuration(f"embedding: {{model: '{one}'}}")
        message[one] = message_for(one, str(error.value))
    assert len(set(message.values())) == 1
    splitters = [
        forbidden(Config.from_settings({"strategy": "custom", "splitter": one})) for one in ("lines", name, GONE)
    ]
    assert all(list(result) == ["splitter"] for result in splitters)
    assert len({message_for("", result["splitter"]) for result in splitters}) == 1


@pytest.mark.parametrize("name", [str(Path(__file__).parent), "remote:small"])
def test_settings_that_are_there_already_are_refused_by_the_pages(visitor: Path, name: str) -> None:
    """Such as those of an index that came with a workspace's file: one sentence, no path, no address."""
    app = open_page("chunks", {"embedding.model": name})
    assert [message_for(name, error.value) for error in app.error] == [
        message_for(GONE, error.value) for error in open_with(GONE).error
    ]
    assert "10.1.2.3" not in shown(app)


def open_with(model: str) -> AppTest:
    """The Chunks page with a model."""
    return open_page("chunks", {"embedding.model": model})


def test_forms_offer_what_is_allowed_and_say_that_something_is_not(visitor: Path) -> None:
    """No name can be typed, nothing is fetched, no language model writes; where a server is and how to set one up,
    nobody reads.
    """
    app = open_page("index")
    assert not app.error
    (model,) = (one for one in app.selectbox if one.label == "Model")
    assert not model.proto.accept_new_options
    assert {ENGLISH_MODEL} <= set(model.options) <= PACKAGED
    assert not any(word in shown(app) for word in ("10.1.2.3", "CHUNKSCOPE_", "secrets.toml"))
    for group in ("enrichment", "inference"):
        app.session_state[f"index.settings.{group}"] = True
    run_app(app)
    assert not any("download" in one.label.lower() for one in app.toggle)
    offered = [option for one in app.get("button_group") for option in one.options]
    assert not any(_LLM in str(option).lower() for option in offered)
    assert _LLM in "\n".join(caption.value for caption in app.caption).lower()


def test_the_door_names_no_folder_of_wrong_settings(
    visitor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody may stand there; the file's name is what its operator looks for."""
    (tmp_path / "ours.toml").write_text("mode = 3")
    for file in ("ours.toml", "none.toml"):
        monkeypatch.setenv("CHUNKSCOPE_SETTINGS", str(tmp_path / file))
        (error,) = open_link().error
        message = error.value.replace("\\", "")
        assert file in message
        assert str(tmp_path) not in message


def test_an_allowed_server_is_named_by_its_model_alone(visitor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address stays the operator's."""
    monkeypatch.setenv("CHUNKSCOPE_ALLOW_ENDPOINTS", "true")
    monkeypatch.setenv("CHUNKSCOPE_LLM_REQUESTS", "37")
    app = open_page("index")
    assert "small" in shown(app)
    assert "10.1.2.3" not in shown(app)
    # Other captions may hold a 37: a fingerprint, or the minute of a build.
    assert [re.findall(r"\d+", caption.value)[:2] for caption in app.caption].count(["0", "37"]) == 1


def test_no_folder_of_the_host_is_in_a_sentence(visitor: Path) -> None:
    """Neither the deployment's nor the installation's; on one's own machine they all are."""
    host.deployment()
    for folder in (visitor, ROOT, Path.home(), Path(re.__file__).parent):
        message = without_folders(f"The file {folder}/x/y.lance cannot be read.")
        assert str(folder) not in message
        assert message.endswith("read.")
    hide_folder("/")
    assert without_folders("a / b") == "a / b"


def test_on_ones_own_machine_a_sentence_names_its_folder(tmp_path: Path) -> None:
    """Whoever reads it can go there."""
    hide_folder(str(tmp_path))
    assert str(tmp_path) in without_folders(f"{tmp_path}/x")


@pytest.mark.parametrize(("engines", "offered"), [("", True), ("ocr", False)])
def test_the_second_parser_is_offered_where_it_is_allowed(
    visitor: Path, monkeypatch: pytest.MonkeyPatch, engines: str, offered: bool
) -> None:
    """Under a document."""
    monkeypatch.setenv("CHUNKSCOPE_ALLOW_ENGINES", engines)
    app = open_page("documents", doc="faq_faq")
    assert any("unstructured" in box.label for box in app.expander) is offered


@pytest.mark.parametrize("allowed", [False, True])
def test_tables_are_sampled_only_where_the_operator_names_folders(
    visitor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: bool
) -> None:
    """Without one there is no button: a visitor can name no place that the server would read."""
    monkeypatch.setenv("CHUNKSCOPE_ALLOW_FOLDERS", str(tmp_path) if allowed else "")
    assert any(button.key == "documents.sample" for button in open_page("documents").button) is allowed
