"""Facts about ``probe``: looking, drafting, asking over real HTTP, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from inspector.cli.exits import Exit

Run = Callable[..., Result]


def test_a_loss_ends_with_one(shop: Path, suite: Path, run: Run) -> None:
    """And the row says since when, and by what."""
    result = run("probe", shop, "shop", "--suite", suite)
    header, row = result.stdout.splitlines()
    cells = dict(zip(header.split("\t"), row.split("\t"), strict=True))

    assert result.exit_code == Exit.BROKEN
    assert (cells["probe"], cells["verdict"], cells["fails from"], cells["calls"]) == (
        "order",
        "evicted",
        "call 3",
        "■■✕",
    )


def test_where_it_holds_it_ends_with_nought(shop: Path, suite: Path, run: Run) -> None:
    """Only the calls that were asked for count."""
    assert run("probe", shop, "shop", "--suite", suite, "--at", "1,2").exit_code == Exit.DONE


def test_json_has_all_of_it(shop: Path, suite: Path, run: Run) -> None:
    """Verdict and evidence of each call, the loss, the repair, the figures."""
    data = json.loads(run("probe", shop, "shop", "--suite", suite, "--repair", "--json").stdout)
    (probe,) = data["probes"]

    assert (data["suite"], data["session"], data["at"]) == ("desk", "shop", [1, 2, 3])
    assert [call["verdict"] for call in probe["calls"]] == ["known", "known", "evicted"]
    assert (probe["flips_at"], probe["cause"]["before_call"]) == (3, 2)
    assert probe["repair"]["passes"]
    assert data["metrics"]["key_information_presence"]["value"] == pytest.approx(2 / 3)
    assert data["metrics"]["key_information_recall"]["value"] is None


def test_a_probe_that_is_never_due_is_no_success(shop: Path, suite: Path, run: Run) -> None:
    """It would pass for ever."""
    suite.write_text(suite.read_text("utf-8").replace("ORD-2024-001", "REF-99812"), "utf-8")
    result = run("probe", shop, "shop", "--suite", suite)

    assert result.exit_code == Exit.BROKEN
    assert "never due in this session: order" in result.stderr


def test_a_draft_is_written_and_never_over_another_file(shop: Path, tmp_path: Path, run: Run) -> None:
    """What was proposed is printed, with the reason."""
    file = tmp_path / "draft.toml"
    first = run("probe", shop, "shop", "--draft", file)
    text = file.read_text("utf-8")
    second = run("probe", shop, "shop", "--draft", file)

    assert first.exit_code == Exit.DONE
    assert "ORD-2024-001" in first.stdout
    assert "What is the order number?" in text
    assert second.exit_code == Exit.CANNOT_WRITE
    assert file.read_text("utf-8") == text
    assert run("probe", shop, "shop", "--draft", file, "--force").exit_code == Exit.DONE
    assert run("probe", shop, "shop", "--suite", file).exit_code == Exit.BROKEN


def test_asking_shows_the_estimate_and_keeps_the_answers(shop: Path, suite: Path, run: Run, server: Any) -> None:
    """A second run sends nothing."""
    words = ("probe", shop, "shop", "--suite", suite, "--at", "all", "--ask", "--endpoint", server.url, "--yes")
    first = run(*words)
    sent = len(server.model.requests)
    second = run(*words)

    assert first.exit_code == Exit.BROKEN
    assert "9 questions" in first.stderr
    assert "cost unknown" in first.stderr
    assert "right 3 of 3" in first.stdout
    assert sent == len(server.model.requests) == 9
    assert "all 9 answers are at hand" in second.stderr
    assert list(shop.glob("probes/*.answers.jsonl"))


def test_nothing_is_sent_before_the_user_agrees(shop: Path, suite: Path, run: Run, server: Any) -> None:
    """No answer is no agreement."""
    result = run("probe", shop, "shop", "--suite", suite, "--ask", "--endpoint", server.url)

    assert result.exit_code == Exit.INTERRUPTED
    assert server.model.requests == []


def test_a_price_makes_an_estimate_and_a_budget(shop: Path, suite: Path, run: Run, server: Any) -> None:
    """Of the user's settings; the rest is not sent, and said."""
    (shop / "inspector.toml").write_text('[prices."gpt-4*"]\ninput = 1e6\noutput = 1e6\n', "utf-8")
    words = ("probe", shop, "shop", "--suite", suite, "--at", "all", "--ask", "--endpoint", server.url, "--yes")
    result = run(*words, "--budget", "200", "--concurrency", "1")

    assert "≈ $" in result.stderr
    assert "were not sent: the budget is used up" in result.stderr
    assert 0 < len(server.model.requests) < 9
    assert result.exit_code == Exit.BROKEN


def test_a_budget_of_money_needs_a_price(shop: Path, suite: Path, run: Run, server: Any) -> None:
    """An unknown price is not nothing."""
    words = ("probe", shop, "shop", "--suite", suite, "--ask", "--endpoint", server.url, "--yes", "--budget", "1")
    result = run(*words)

    assert result.exit_code == Exit.USAGE
    assert "[prices" in result.stderr
    assert server.model.requests == []


def test_controls_are_asked_on_demand(shop: Path, suite: Path, run: Run, server: Any) -> None:
    """Without the fact, and with it last."""
    words = ("probe", shop, "shop", "--suite", suite, "--at", "2", "--ask", "--endpoint", server.url, "--yes", "--json")
    data = json.loads(run(*words, "--controls", "--replicates", "1").stdout)
    (call,) = data["probes"][0]["calls"]

    assert call["asked"]["right"] == 1
    assert {name: arm["right"] for name, arm in call["controls"].items()} == {"without the fact": 0, "fact last": 1}


def test_bisect_finds_the_call_with_few_questions(shop: Path, suite: Path, run: Run, server: Any) -> None:
    """And says how many calls it asked."""
    words = ("probe", shop, "shop", "--suite", suite, "--ask", "--endpoint", server.url, "--yes")
    result = run(*words, "--bisect", "order", "--replicates", "1")

    assert result.exit_code == Exit.BROKEN
    assert "flips at call 3" in result.stdout
    assert len(server.model.requests) <= 3


def test_the_key_is_shown_and_stored_nowhere(
    shop: Path, suite: Path, run: Run, server: Any, failure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes to the server, and nowhere else."""
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    server.model.failures = [failure(401, {}, '{"error": {"message": "bad key sk-very-secret"}}')]
    words = ("probe", shop, "shop", "--suite", suite, "--ask", "--endpoint", server.url, "--yes", "--key-env", "MY_KEY")
    result = run(*words)
    kept = b"".join(file.read_bytes() for file in shop.rglob("*") if file.is_file())

    assert any(one.get("authorization") == "Bearer sk-very-secret" for one in server.model.headers)
    assert "bad key …" in result.stderr
    assert "sk-very-secret" not in result.output
    assert b"sk-very-secret" not in kept


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ((), Exit.USAGE, "--suite"),
        (("--suite", "none.toml"), Exit.UNREADABLE, "cannot be read"),
        (("--at", "sometimes"), Exit.USAGE, "sometimes"),
        (("--bisect", "order"), Exit.USAGE, "--ask"),
        (("--ask", "--yes"), Exit.USAGE, "not recorded"),
        (("--ask", "--yes", "--endpoint", "nonsense"), Exit.USAGE, "no address"),
        (("--ask", "--yes", "--endpoint", "http://127.0.0.1:9", "--api", "telepathy"), Exit.USAGE, "telepathy"),
        (("--ask", "--yes", "--endpoint", "http://127.0.0.1:9", "--key-env", "NO_SUCH"), Exit.USAGE, "NO_SUCH"),
        (("--ask", "--header", "broken"), Exit.USAGE, "NAME:VALUE"),
        (("--judge", "http://127.0.0.1:9", "--judge-model", "m"), Exit.USAGE, "--ask"),
        (("--ask", "--judge", "http://127.0.0.1:9"), Exit.USAGE, "--judge-model"),
        (("--ask", "--judge-model", "m"), Exit.USAGE, "--judge URL"),
        (("--ask", "--judge", "nonsense", "--judge-model", "m"), Exit.USAGE, "no address"),
    ],
)
def test_wrong_use_is_said_in_a_line(
    words: tuple[str, ...], code: Exit, says: str, shop: Path, suite: Path, run: Run
) -> None:
    """With its code, and never with a traceback."""
    named = () if not words or "--suite" in words else ("--suite", str(suite))
    result = run("probe", shop, "shop", *named, *words)

    assert result.exit_code == code
    assert says in result.stderr
    assert "Traceback" not in result.stderr


def test_a_session_that_is_not_there_is_said(shop: Path, suite: Path, run: Run) -> None:
    """As of every command."""
    assert run("probe", shop, "shup", "--suite", suite).exit_code == Exit.NOT_FOUND


@pytest.fixture
def asking(shop: Path, suite: Path, server: Any) -> tuple[str | Path, ...]:
    """Words that ask two calls, once each, whose answers only a judge can score."""
    judged = suite.read_text("utf-8").replace('"ORD-2024-001" }', '"ORD-2024-001", scorer = "model_graded_fact" }')
    suite.write_text(judged, "utf-8")
    asked = ("--at", "1,3", "--ask", "--endpoint", server.url, "--replicates", "1", "--yes")
    return ("probe", shop, "shop", "--suite", suite, *asked)


def test_without_a_judge_answers_are_kept_and_left_unjudged(asking: Any, run: Run, server: Any) -> None:
    """Judges are off unless the user names one."""
    result = run(*asking)

    assert len(server.model.requests) == 2
    assert "none was named as judge" in result.stdout


def test_a_judge_is_counted_asked_once_and_decides(asking: Any, run: Run, server: Any, shop: Path) -> None:
    """It sees question, expectation and answer, and no prompt; a second run asks nothing."""
    words = (*asking, "--judge", server.url, "--judge-model", "strict")
    first = run(*words)
    sent = len(server.model.requests)
    second = run(*words)
    grading = [body for body in server.model.requests if body["model"] == "strict"]

    assert "4 questions, 2 of them to the judge" in first.stderr
    assert "right 1 of 1" in first.stdout
    assert "right 0 of 1" in first.stdout
    assert len(grading) == 2
    assert all(len(body["messages"]) == 1 and "kettle" not in body["messages"][0]["content"] for body in grading)
    assert sent == len(server.model.requests) == 4
    assert "nothing to ask" in second.stderr
    assert "right 1 of 1" in second.stdout


def test_a_judge_stays_within_the_budget(asking: Any, run: Run, server: Any) -> None:
    """What is not judged is said, and the next run goes on with it."""
    result = run(*asking, "--judge", server.url, "--judge-model", "strict", "--token-budget", "330")

    assert result.exit_code == Exit.BROKEN
    assert "not sent: the budget is used up" in result.stderr
    assert len(server.model.requests) < 4


def test_a_search_asks_the_judge_too(asking: Any, run: Run, server: Any) -> None:
    """Else no call would be known to be right or wrong."""
    words = tuple(one for one in asking if one not in ("--at", "1,3"))
    result = run(*words, "--bisect", "order", "--judge", server.url, "--judge-model", "strict")

    assert "order: flips at call 3" in result.stdout


def test_the_key_of_a_judge_is_missed_before_anything_is_sent(asking: Any, run: Run, server: Any) -> None:
    """A run that cannot be judged to its end is not begun."""
    result = run(*asking, "--judge", server.url, "--judge-model", "strict", "--judge-key-env", "NO_SUCH_KEY")

    assert result.exit_code == Exit.USAGE
    assert "NO_SUCH_KEY" in result.stderr
    assert not server.model.requests


def test_figures_are_printed_on_demand(shop: Path, suite: Path, run: Run) -> None:
    """A row each, with the formula; a share of nothing is no number."""
    rows = run("probe", shop, "shop", "--suite", suite, "--metrics").stdout.splitlines()
    figures = {cells[0]: cells[1:] for row in rows if len(cells := row.split("\t")) == 4}

    assert figures["key_information_presence"][:2] == ["66.7%", "2 of 3"]
    assert figures["interruption_recovery"][1] == "of nothing"
    assert len(figures) == 8
