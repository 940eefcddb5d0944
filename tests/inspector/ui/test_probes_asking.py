"""Asking from the page: the form, the estimate, the key, and a run in the background."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from inspector.errors import ProbeError
from inspector.index import Index, open_index
from inspector.probes.judging import recorded_verdicts
from inspector.probes.look import ProbeLook, SessionFacts, look, read_facts
from inspector.probes.probe import Expected, Probe
from inspector.probes.replay_client import Reply
from inspector.probes.replay_request import ReplayRequest
from inspector.probes.results import AnswerStore, read_answers
from inspector.ui.probes_asking import AskForm, prepare, read_form, refusals, refused_calls
from inspector.ui.probes_run import ProbeRun, ProbeRuns
from snapshot_sdk import Recorder
from snapshot_sdk.facts import Fact

ORDER = Probe("order", "What is the order number?", Expected((Fact("id", "ORD-2024-001"),)), "artifact")
SAYS = {"role": "user", "content": "My order number is ORD-2024-001."}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """Three calls: two to OpenAI and one to a server nobody knows."""
    with Recorder(tmp_path / "traces", session="shop") as recorder:
        for number in range(1, 4):
            host = "api.openai.com" if number < 3 else "gateway.example"
            body = {"model": "gpt-4.1", "messages": [SAYS, {"role": "user", "content": f"Sentence {number}."}]}
            recorder.snapshot(body, api="openai.chat", endpoint=f"https://{host}/v1/chat/completions")
            recorder.response(body={"choices": [{"message": {"role": "assistant", "content": "ok"}}]})
    index = open_index(tmp_path / "traces")
    index.refresh()
    yield index
    index.close()


@pytest.fixture
def looked(index: Index) -> tuple[SessionFacts, tuple[ProbeLook, ...]]:
    """The probe, looked for."""
    facts = read_facts(index, "shop")
    return facts, look([ORDER], facts)


def form(at: str = "1,2", **more: Any) -> AskForm:
    """What a reader fills in."""
    return read_form({"at": at, "replicates": "2", **more})


class Echo:
    """Answers from the request alone."""

    def __init__(self) -> None:
        self.asked: list[ReplayRequest] = []
        self.go = Event()
        self.go.set()

    def ask(self, request: ReplayRequest, cancelled: Event) -> Reply:
        """Give the text of the first message back."""
        self.go.wait(10)
        self.asked.append(request)
        return Reply(str(request.body["messages"][0]["content"]), duration_ms=1.0)


def test_an_estimate_sends_nothing(index: Index, looked: Any, tmp_path: Path) -> None:
    """It tells questions, tokens and where they would go; no file is written."""
    facts, looks = looked
    ready = prepare(index, tmp_path / "traces", looks, facts, form(), {"OPENAI_API_KEY": "k"})

    assert ready.estimate.questions == 4
    assert ready.servers == ("https://api.openai.com/v1/chat/completions",)
    assert (ready.key, ready.local) == ("k", False)
    assert not (tmp_path / "traces" / "probes").exists()


def test_without_a_key_it_says_what_to_do(index: Index, looked: Any, tmp_path: Path) -> None:
    """And that looking needs none."""
    facts, looks = looked
    with pytest.raises(ProbeError, match=r"^Set OPENAI_API_KEY or choose another endpoint\. Looking needs none\.$"):
        prepare(index, tmp_path / "traces", looks, facts, form(), {})


def test_no_key_goes_to_a_server_that_is_not_its_own(index: Index, looked: Any, tmp_path: Path) -> None:
    """Calls of several servers are not asked in one run; a named endpoint gets only its own key."""
    facts, looks = looked
    keys = {"OPENAI_API_KEY": "k"}
    with pytest.raises(ProbeError, match="2 servers"):
        prepare(index, tmp_path / "traces", looks, facts, form("1,3"), keys)
    ready = prepare(index, tmp_path / "traces", looks, facts, form("1,3", endpoint="http://127.0.0.1:9"), keys)
    assert (ready.key, ready.local) == (None, True)


def test_no_key_goes_out_unencrypted(index: Index, looked: Any, tmp_path: Path) -> None:
    """Not to its own host either."""
    facts, looks = looked
    asked = form(endpoint="http://api.openai.com/v1/chat/completions")
    with pytest.raises(ProbeError, match="unencrypted"):
        prepare(index, tmp_path / "traces", looks, facts, asked, {"OPENAI_API_KEY": "k"})


def test_a_budget_of_money_needs_prices(index: Index, looked: Any, tmp_path: Path) -> None:
    """Else it could not stop anything."""
    facts, looks = looked
    with pytest.raises(ProbeError, match="needs the price"):
        prepare(index, tmp_path / "traces", looks, facts, form(money="$2"), {"OPENAI_API_KEY": "k"})


def test_nothing_due_is_said(index: Index, tmp_path: Path) -> None:
    """No question, no run."""
    facts = read_facts(index, "shop")
    never = Probe("never", "Which?", Expected((Fact("id", "ZX-1"),)), "artifact")
    with pytest.raises(ProbeError, match="No probe is due"):
        prepare(index, tmp_path / "traces", look([never], facts), facts, form(), {"OPENAI_API_KEY": "k"})


@pytest.mark.parametrize("given", [{"replicates": "0"}, {"replicates": "x"}, {"money": "-1"}, {"tokens": "many"}])
def test_a_form_that_says_nothing_usable_is_refused(given: dict[str, str]) -> None:
    """In words."""
    with pytest.raises(ValueError, match=r"^(Answers|Budget)"):
        read_form(given)


def test_a_run_keeps_its_answers_and_asks_nothing_twice(index: Index, looked: Any, tmp_path: Path) -> None:
    """They lie beside the traces; the next estimate has them at hand."""
    facts, looks = looked
    ready = prepare(index, tmp_path / "traces", looks, facts, form(), {"OPENAI_API_KEY": "k"})
    sender = Echo()
    run = ProbeRun(ready, index.settings.price_of, sender)
    run.wait(30)

    plain = run.plain(index.settings.prices.amount)
    assert (plain["running"], plain["done"], plain["total"], plain["troubles"]) == (False, 4, 4, [])
    assert len(list(read_answers(ready.store.file))) == 4 == len(sender.asked)
    again = prepare(index, tmp_path / "traces", looks, facts, form(), {})
    assert (again.estimate.questions, again.estimate.known) == (0, 4)


def test_a_cancelled_run_says_what_is_left(index: Index, looked: Any, tmp_path: Path) -> None:
    """What is in flight is waited for; the rest is not sent."""
    facts, looks = looked
    ready = prepare(index, tmp_path / "traces", looks, facts, form(replicates="20"), {"OPENAI_API_KEY": "k"})
    sender = Echo()
    sender.go.clear()
    run = ProbeRun(ready, index.settings.price_of, sender)
    run.cancel()
    sender.go.set()
    run.wait(30)

    assert len(sender.asked) < 40
    [trouble] = run.plain(index.settings.prices.amount)["troubles"]
    assert "not sent: cancelled" in trouble


def test_one_run_of_a_session_at_a_time(index: Index, looked: Any, tmp_path: Path) -> None:
    """A second one is refused until the first ended; over a real socket."""
    facts, looks = looked
    go = Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            go.wait(10)
            data = json.dumps({"choices": [{"message": {"role": "assistant", "content": "ORD-2024-001"}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}"
        ready = prepare(index, tmp_path / "traces", looks, facts, form(endpoint=url), {})
        runs = ProbeRuns()
        assert runs.start("shop", ready, index)
        assert not runs.start("shop", ready, index)
        go.set()
        run = runs.of("shop")
        assert run is not None
        run.wait(30)
        assert run.plain(index.settings.prices.amount)["troubles"] == []
        assert [one.answer for one in read_answers(ready.store.file)] == ["ORD-2024-001"] * 4
    finally:
        server.shutdown()
        server.server_close()


def test_what_cannot_be_asked_is_counted_by_reason(tmp_path: Path) -> None:
    """One line a reason."""
    with Recorder(tmp_path / "traces", session="shop") as recorder:
        recorder.snapshot({"model": "m", "messages": [SAYS]}, api="openai.chat", endpoint="http://127.0.0.1:9/v1")
        recorder.snapshot({"model": "m", "messages": [SAYS]}, api="openai.chat", purpose="compaction")
    index = open_index(tmp_path / "traces")
    index.refresh()
    facts = read_facts(index, "shop")
    probe = Probe("none", "Say nothing?", Expected(must_not_say=(Fact("text", "x"),)), "recall")
    ready = prepare(
        index, tmp_path / "traces", look([probe], facts), facts,
        read_form({"at": "all", "endpoint": "http://127.0.0.1:9", "controls": True, "replicates": "1"}), {},
    )  # fmt: skip
    index.close()

    assert refusals(ready) == ["2 questions cannot be asked: the probe names nothing that could be taken out"]
    assert refused_calls(ready) == {}


def test_a_call_that_cannot_be_asked_says_why_at_its_cells(tmp_path: Path) -> None:
    """By call: the reader sees it where they look."""
    with Recorder(tmp_path / "traces", session="shop") as recorder:
        body = {"model": "m", "messages": [SAYS]}
        recorder.snapshot(body, api="openai.chat", endpoint="http://127.0.0.1:9/v1/chat/completions", lane="main")
        said = {"model": "m", "input": [SAYS], "conversation": "c1"}
        recorder.snapshot(said, api="openai.responses", endpoint="http://127.0.0.1:9/v1/responses", lane="main")
    index = open_index(tmp_path / "traces")
    index.refresh()
    facts = read_facts(index, "shop")
    ready = prepare(index, tmp_path / "traces", look([ORDER], facts), facts, form("1,2"), {})
    index.close()

    assert list(refused_calls(ready)) == ["2"]
    assert "the server keeps this conversation" in refused_calls(ready)["2"]


class Forgetful(Echo):
    """Knows the number as long as the talk is short."""

    def __init__(self, last_right: int) -> None:
        super().__init__()
        self.last_right = last_right

    def ask(self, request: ReplayRequest, cancelled: Event) -> Reply:
        """Answer by the number of the call, which stands in the prompt."""
        self.asked.append(request)
        told = next(text for one in request.body["messages"] if (text := str(one["content"])).startswith("Sentence "))
        right = int(told.removeprefix("Sentence ").rstrip(".")) <= self.last_right
        return Reply("ORD-2024-001" if right else "no idea", duration_ms=1.0)


def test_a_search_finds_the_first_wrong_call_within_its_estimate(index: Index, looked: Any, tmp_path: Path) -> None:
    """Of three calls the third is the first that is wrong; it asks no more than it said, and says what it found."""
    facts, looks = looked
    asked = form(endpoint="http://127.0.0.1:9")
    ready = prepare(index, tmp_path / "traces", looks, facts, asked, {}, search=True)
    sender = Forgetful(2)
    run = ProbeRun(ready, index.settings.price_of, sender)
    run.wait(30)

    plain = run.plain(index.settings.prices.amount)
    assert (plain["flip"]["call"], plain["flip"]["before"], plain["troubles"]) == (3, 2, [])
    assert "first wrong at call 3" in plain["flip"]["words"]
    assert 0 < len(sender.asked) <= ready.estimate.questions
    assert plain["done"] == len(sender.asked)


def test_a_search_that_was_cancelled_names_no_call(index: Index, looked: Any, tmp_path: Path) -> None:
    """What was not asked is not wrong."""
    facts, looks = looked
    asked = form(endpoint="http://127.0.0.1:9", tokens="1")
    ready = prepare(index, tmp_path / "traces", looks, facts, asked, {}, search=True)
    run = ProbeRun(ready, index.settings.price_of, Forgetful(2))
    run.wait(30)

    flip = run.plain(index.settings.prices.amount)["flip"]
    assert (flip["call"], "did not end" in flip["words"]) == (None, True)


GRADED = Probe(
    "order",
    "What is the order number?",
    Expected((Fact("id", "ORD-2024-001"),), scorer="model_graded_fact"),
    "artifact",
)
JUDGE = {"judge": "http://127.0.0.1:9", "judge_model": "strict"}


class Grader(Echo):
    """Answers like the echo, and grades like a judge."""

    def ask(self, request: ReplayRequest, cancelled: Event) -> Reply:
        """Give a grade to what is no prompt of the session."""
        said = super().ask(request, cancelled)
        return Reply("GRADE: C") if request.body["model"] == "strict" else said


def test_a_judge_is_off_unless_it_is_named(index: Index, tmp_path: Path) -> None:
    """And then counted, and told where its questions go."""
    facts = read_facts(index, "shop")
    looks = look([GRADED], facts)
    keys = {"OPENAI_API_KEY": "k"}
    without = prepare(index, tmp_path / "traces", looks, facts, form(), keys)
    judged = prepare(index, tmp_path / "traces", looks, facts, form(**JUDGE), keys)

    assert (without.judge, without.estimate.questions, without.estimate.judged) == (None, 4, 0)
    assert (judged.estimate.questions, judged.estimate.judged) == (8, 4)
    assert "4 of them to the judge" in judged.estimate.words(index.settings.prices)
    assert judged.servers[-1].startswith("http://127.0.0.1:9/")
    assert (judged.key, judged.judge_key) == ("k", None)


def test_a_judge_needs_an_address_a_model_and_something_to_judge(index: Index, looked: Any, tmp_path: Path) -> None:
    """What is missing is said before anything is sent."""
    facts, looks = looked
    with pytest.raises(ValueError, match="both an address and a model"):
        form(judge="http://127.0.0.1:9")
    with pytest.raises(ProbeError, match="No chosen probe asks for a judge"):
        prepare(index, tmp_path / "traces", looks, facts, form(**JUDGE), {"OPENAI_API_KEY": "k"})


def test_a_run_has_its_answers_judged_and_kept(index: Index, tmp_path: Path) -> None:
    """One judgement for each distinct answer; the page reads it back."""
    facts = read_facts(index, "shop")
    looks = look([GRADED], facts)
    ready = prepare(index, tmp_path / "traces", looks, facts, form(**JUDGE), {"OPENAI_API_KEY": "k"})
    run = ProbeRun(ready, index.settings.price_of, Grader())
    run.wait(20)
    kept = list(read_answers(ready.store.file))
    [judgement] = [one for one in kept if one.arm == "judge"]
    judge = recorded_verdicts(kept)

    assert run.plain(str)["troubles"] == []
    assert judgement.judged is not None
    assert judge is not None
    assert judge(GRADED, "My order number is ORD-2024-001.") is True


def test_a_run_that_waits_for_another_one_says_so(index: Index, looked: Any, tmp_path: Path) -> None:
    """The command line asks about the same session: nothing is asked twice."""
    facts, looks = looked
    ready = prepare(index, tmp_path / "traces", looks, facts, form(), {"OPENAI_API_KEY": "k"})
    sender = Echo()
    with AnswerStore(ready.store.file).held(lambda: False):
        run = ProbeRun(ready, index.settings.price_of, sender)
        while "waiting for another run" not in run.plain(str)["words"]:
            run.wait(0.05)
            assert run.running
        assert sender.asked == []
    run.wait(30)

    assert len(sender.asked) == 4
    assert "waiting" not in run.plain(str)["words"]


def test_what_the_server_does_not_count_is_an_estimate(index: Index, looked: Any, tmp_path: Path) -> None:
    """It is marked as one."""
    facts, looks = looked
    ready = prepare(index, tmp_path / "traces", looks, facts, form(), {"OPENAI_API_KEY": "k"})
    run = ProbeRun(ready, index.settings.price_of, Echo())
    run.wait(30)

    assert "· ≈ " in run.plain(str)["words"]
