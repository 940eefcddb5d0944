"""The Probes page: a drafted suite, what looking finds, saving it, and asking a model after the estimate."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from inspector.ui.options import sample_directory
from snapshot_sdk import Recorder

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-probes")]

OpenPage = Callable[..., Page]
LANGUAGE = "应该用哪种语言回答用户？"
HOSTILE = "[x](http://y) <img src=x onerror=alert(1)> **bold** $x$"


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of two samples, beside which suites may be written, and a session of hostile text."""
    directory = tmp_path_factory.mktemp("probes") / "traces"
    for name in ("order-4711", "lisbon-offsite"):
        for source in sample_directory().glob(f"{name}-*"):
            shutil.copytree(source, directory / source.name)
    with Recorder(directory, session="hostile") as recorder:
        recorder.pin(HOSTILE, reason=HOSTILE)
        recorder.snapshot({"model": "m", "messages": [{"role": "user", "content": HOSTILE}]}, api="openai.chat")
    with Recorder(directory, session="bare") as recorder:
        recorder.snapshot({"model": "m", "messages": [{"role": "user", "content": "hi"}]}, api="openai.chat")
    return directory


@pytest.fixture(scope="module")
def app(
    serve: Callable[..., str], read: Callable[[Path], Path], traces: Path, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The app on it."""
    return serve(read(traces), cwd=tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture
def model() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that says which language the prompt asks for, if it does: its address, and what it was sent."""
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(body)
            told = any("只用中文" in str(message.get("content")) for message in body["messages"])
            said = {"role": "assistant", "content": "中文" if told else "我不知道。"}
            data = json.dumps({"choices": [{"message": said}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", requests
    server.shutdown()
    server.server_close()


def row(page: Page, text: str) -> Locator:
    """A row of the grid, by its question."""
    return page.locator(".labels .label").filter(has_text=text)


def fact(page: Page, name: str) -> Locator:
    """A line under the grid."""
    return page.locator(".cell .fact").filter(has=page.get_by_text(name, exact=True))


def test_a_draft_is_looked_for_at_once(open_page: OpenPage, serve: Callable[..., str], tmp_path: Path) -> None:
    """The language flips at call 13, the page says what did it; keys move through calls and probes."""
    for source in sample_directory().glob("order-4711-*"):
        shutil.copytree(source, tmp_path / source.name)  # its own: what another test had a model say would show
    page = open_page(f"{serve(tmp_path)}/probes?session=order-4711&suite=draft")

    expect(page.locator(".notes .note").first).to_have_text("call 13, trim (compaction 1): m4 taken out")
    expect(row(page, LANGUAGE).get_by_role("checkbox")).to_be_checked()
    expect(row(page, LANGUAGE)).to_contain_text("pin “以后请只用中文回答我”")
    expect(page.locator(".cell .title")).to_contain_text("call 13")
    expect(fact(page, "verdict")).to_contain_text("evicted")
    expect(fact(page, "last held")).to_contain_text("以后请只用中文回答我")
    page.keyboard.press("ArrowLeft")
    expect(fact(page, "verdict")).to_contain_text("known")
    expect(fact(page, "held by")).to_contain_text("m4")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("new URL(location.href).searchParams.get('probe') === 'artifact-ord-2024-001'")
    expect(page.locator(".cell .title")).to_contain_text("call 12")
    page.reload()
    expect(page.locator(".cell .title")).to_contain_text("订单号是多少？")
    page.get_by_role("link", name="Compare calls 12 and 13").click()
    expect(page).to_have_url(re.compile(r"/compare\?.*a=12"))
    page.go_back()
    expect(page.locator(".cell .title")).to_be_visible()


def test_a_saved_suite_is_not_written_over(open_page: OpenPage, app: str, traces: Path) -> None:
    """Only what is ticked is written; a second time the reader must agree."""
    page = open_page(f"{app}/probes?session=lisbon-offsite&suite=draft", dark=True, width=1280)
    boxes = page.locator(".labels input[type=checkbox]:checked")
    expect(boxes.first).to_be_visible()
    count = boxes.count()
    boxes.first.uncheck()
    page.get_by_role("button", name="Save as suite").click()
    expect(page.locator(".noteline")).to_contain_text(f"Wrote {count - 1} probes")
    file = traces / "probes" / "lisbon-offsite.toml"
    before = file.read_bytes()
    assert len(tomllib.loads(before.decode())["probes"]) == count - 1
    boxes.first.uncheck()
    page.get_by_role("button", name="Save as suite").click()
    expect(page.get_by_role("button", name="Replace its probes")).to_be_visible()
    assert file.read_bytes() == before


def test_nothing_is_sent_before_the_reader_agrees(
    open_page: OpenPage, app: str, traces: Path, model: tuple[str, list[dict[str, Any]]]
) -> None:
    """The estimate comes first; the answers lie over the grid, and no trace changes."""
    url, requests = model
    before = {file: file.read_bytes() for file in traces.glob("order-4711-*/*.jsonl")}
    assert before
    page = open_page(f"{app}/probes?session=order-4711&suite=draft&at=12,13")
    row(page, LANGUAGE).get_by_role("checkbox").wait_for()
    for box in page.locator(".labels input[type=checkbox]").all()[1:]:
        box.uncheck()
    page.get_by_role("button", name="Ask a model").click()
    page.get_by_label("Endpoint").fill(url)
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator(".offer")).to_contain_text("a server on this machine")
    assert requests == []
    page.get_by_role("button", name=re.compile("^Send ")).click()
    expect(page.locator(".run")).to_contain_text("Last run:")
    expect(fact(page, "model")).to_contain_text("right 0 of 3")
    expect(fact(page, "verdict")).to_contain_text("abstained")
    page.keyboard.press("ArrowLeft")
    expect(fact(page, "model")).to_contain_text("right 3 of 3")
    assert len(requests) == 6
    assert {file: file.read_bytes() for file in before} == before


SUITE = """# by hand
name = "hand"

[[probes]]
id = "language"
question = "Which language?"
kind = "constraint"
expected = { text = "中文" }
evidence = { rule = "以后请只用中文回答我" }
"""


def test_a_probe_is_edited_and_another_added(open_page: OpenPage, app: str, traces: Path) -> None:
    """The form says what is wrong; what is right stands in the file, beside its comments, and in the grid."""
    (traces / "probes").mkdir(exist_ok=True)
    file = traces / "probes" / "hand.toml"
    file.write_text(SUITE, "utf-8")
    page = open_page(f"{app}/probes?session=order-4711&suite=hand.toml")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_label("Probe: question")).to_have_value("Which language?")
    page.get_by_label("Probe: question").fill("")
    page.get_by_role("button", name="Write it into the suite").click()
    expect(page.locator(".editor .problem")).to_contain_text("question")
    assert file.read_text("utf-8") == SUITE
    page.get_by_label("Probe: question").fill("Which language must it be?")
    page.get_by_role("button", name="Write it into the suite").click()
    expect(row(page, "Which language must it be?")).to_be_visible()
    expect(page.locator(".editor")).to_be_hidden()
    assert file.read_text("utf-8") == SUITE.replace("Which language?", "Which language must it be?")

    page.get_by_role("button", name="Add a probe").click()
    page.get_by_label("Probe: question").fill("Which order?")
    page.get_by_label("Probe: id").fill("order")
    page.get_by_label("Probe: expected").select_option("id")
    page.get_by_label("Probe: value").fill("ORD-2024-001")
    page.get_by_label("Probe: value").press("Enter")
    expect(row(page, "Which order?")).to_be_visible()
    expect(page.locator(".cell .title")).to_contain_text("Which order?")
    assert [probe["id"] for probe in tomllib.loads(file.read_text("utf-8"))["probes"]] == ["language", "order"]


def test_a_probe_is_removed_by_a_second_yes(open_page: OpenPage, app: str, traces: Path) -> None:
    """The first click only says what goes; the file keeps the others as they are."""
    (traces / "probes").mkdir(exist_ok=True)
    file = traces / "probes" / "removed.toml"
    other = (
        SUITE.partition("[[probes]]")[2].replace('"language"', '"other"').replace("Which language?", "Which tongue?")
    )
    file.write_text(f"{SUITE}\n[[probes]]{other}", "utf-8")
    page = open_page(f"{app}/probes?session=order-4711&suite=removed.toml&probe=other")
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("button", name="Remove this probe").click()
    expect(page.locator(".editor .problem")).to_contain_text("other goes from the file")
    assert "Which tongue?" in file.read_text("utf-8")
    page.get_by_role("button", name="Yes, remove it from the suite").click()
    expect(row(page, "Which tongue?")).to_be_hidden()
    expect(page.locator(".editor")).to_be_hidden()
    assert file.read_text("utf-8").rstrip() == SUITE.rstrip()


def test_the_figures_stand_with_their_formulas(open_page: OpenPage, app: str) -> None:
    """They are reckoned when somebody asks for them."""
    page = open_page(f"{app}/probes?session=order-4711&suite=draft", dark=True)
    page.get_by_role("button", name="Figures").click()
    figures = page.locator(".figures tbody tr")
    expect(figures).to_have_count(7)
    expect(figures.filter(has_text="constraint loss rate")).to_contain_text("constraints due")
    expect(figures.filter(has_text="interruption recovery")).to_contain_text("unknown")


def test_all_sessions_stand_in_a_table(open_page: OpenPage, app: str) -> None:
    """Measured when asked for, in the background; a head orders them, a name leads to the session's probes."""
    page = open_page(f"{app}/probes?session=hostile&suite=draft")
    page.get_by_role("button", name="Figures").click()
    page.get_by_role("button", name="Over all sessions").click()
    rows = page.locator(".sessions tbody tr")
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("all sessions")
    own = page.locator(".figures .own tbody tr").first.locator("td").nth(1)
    both = rows.filter(has_text="hostile").locator("td").nth(2)
    expect(both).to_have_attribute("title", re.compile(re.escape(own.inner_text())))  # the same suite, the same figure
    page.get_by_role("columnheader", name="present").get_by_role("button").click()
    expect(page.get_by_role("columnheader", name="present")).to_have_attribute("aria-sort", "descending")
    expect(rows.nth(4)).to_contain_text("–")  # a share of nothing is in no order: it comes last
    page.get_by_label("Groups of sessions").select_option("model")
    expect(rows.filter(has_text="gpt-4.1")).to_contain_text("2 sessions")
    page.get_by_role("link", name="order-4711").click()
    expect(page).to_have_url(re.compile("session=order-4711"))


def test_a_judge_is_offered_only_where_a_probe_wants_one(open_page: OpenPage, app: str, traces: Path) -> None:
    """And is off until it has an address and a model."""
    (traces / "probes").mkdir(exist_ok=True)
    graded = SUITE.replace('{ text = "中文" }', '{ text = "中文", scorer = "model_graded_qa" }')
    (traces / "probes" / "graded.toml").write_text(graded, "utf-8")
    (traces / "probes" / "plain.toml").write_text(SUITE, "utf-8")
    page = open_page(f"{app}/probes?session=order-4711&suite=plain.toml")
    page.get_by_role("button", name="Ask a model").click()
    expect(page.get_by_label("Judge: address of its server")).to_be_hidden()
    page = open_page(f"{app}/probes?session=order-4711&suite=graded.toml")
    page.get_by_role("button", name="Ask a model").click()
    page.get_by_label("Endpoint", exact=True).fill("http://127.0.0.1:9")
    page.get_by_label("Judge: address of its server").fill("http://127.0.0.1:9")
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator(".offer")).to_contain_text("both an address and a model")
    page.get_by_label("Judge: model").fill("strict")
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator(".offer .sum")).to_contain_text("of them to the judge")


def test_the_session_marks_what_probes_say_and_leads_there(open_page: OpenPage, app: str, traces: Path) -> None:
    """At the call where a probe begins to fail: a sign, words for it, a row of the table, and a click to the probe."""
    (traces / "probes").mkdir(exist_ok=True)
    suite = SUITE.replace("Which language?", "Which one tongue?")
    (traces / "probes" / "marks.toml").write_text(f'session = "order-4711"\n{suite}', "utf-8")
    page = open_page(f"{app}/session?session=order-4711&call=13")
    expect(page.locator(".labels")).to_contain_text("probes")
    expect(page.locator(".main .live")).to_contain_text("evicted")
    page.get_by_role("button", name="Show as table").click()
    cell = page.locator(".calls-table tbody tr").nth(12).get_by_role("link", name="Which one tongue?")
    expect(cell).to_contain_text("evicted from here on")
    page.get_by_role("button", name="Show as picture").click()
    chart = page.locator(".chart").bounding_box()
    band = page.locator(".labels span", has_text="probes").bounding_box()
    assert chart is not None
    assert band is not None
    page.mouse.move(chart["x"] + 38 + (chart["width"] - 40) * 12.5 / 21, band["y"] + 9)
    expect(page.locator(".tip")).to_contain_text("evicted from here on")
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"/probes\?.*call=13.*suite="))
    expect(page.locator(".cell .title")).to_contain_text("call 13")


def test_a_search_says_what_it_takes_and_what_it_found(
    open_page: OpenPage, app: str, model: tuple[str, list[dict[str, Any]]]
) -> None:
    """It asks the two calls at which looking sees the rule go."""
    url, requests = model
    page = open_page(f"{app}/probes?session=order-4711&suite=draft")
    row(page, LANGUAGE).wait_for()
    page.get_by_role("button", name="Bisect").click()
    page.get_by_label("Endpoint").fill(url)
    page.get_by_label("Answers to each question").fill("1")
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator(".offer")).to_contain_text("a search for the first wrong call")
    expect(page.locator(".offer")).to_contain_text("a server on this machine")
    assert requests == []
    page.get_by_role("button", name=re.compile("^Send at most ")).click()
    expect(page.locator(".run")).to_contain_text("first wrong at call 13, compaction 1")
    assert len(requests) <= 2  # another test may have asked the same: those answers are at hand


def test_empty_and_broken_say_what_to_do(open_page: OpenPage, app: str) -> None:
    """No session, nothing to draft, no such suite."""
    page = open_page(f"{app}/probes")
    expect(page.get_by_text("No session chosen")).to_be_visible()
    page.goto(f"{app}/probes?session=bare")
    expect(page.locator(".empty")).to_contain_text("Nothing in this session looks like something to be remembered")
    page.goto(f"{app}/probes?session=order-4711&suite=nope.toml")
    expect(page.locator(".trouble")).to_contain_text("There is no suite nope.toml beside these traces.")


def test_text_of_prompts_stays_text(open_page: OpenPage, app: str) -> None:
    """Neither markup nor markdown of a pin is followed."""
    page = open_page(f"{app}/probes?session=hostile", width=1920)

    expect(page.locator(".labels .label").first).to_contain_text("<img src=x onerror=alert(1)> **bold**")
    assert page.locator(".labels img, .cell img").count() == 0
