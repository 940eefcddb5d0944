"""``context-inspector probe``: would it have known? A suite of questions against the exact contexts of a session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from inspector.cli import INSTALL, missing
from inspector.cli.exits import Exit
from inspector.cli.options import AS_JSON, DIRECTORY
from inspector.cli.probe_asking import Asked, Wanted, ask, search
from inspector.cli.probe_figures import show_figures
from inspector.cli.probe_output import (
    cells_json,
    find_repairs,
    metrics_json,
    print_cells,
    print_drafts,
    print_metrics,
    print_repairs,
)
from inspector.cli.terminal import complain, one_line, plain, write_json
from inspector.cli.traces import opened, say_unreadable
from inspector.errors import CannotWriteError
from inspector.index import Index
from inspector.probes.asking import make_cells
from inspector.probes.draft import draft_probes, suite_of
from inspector.probes.estimate import Budget
from inspector.probes.judging import ModelJudge
from inspector.probes.look import SessionFacts, calls_to_ask, look, read_facts
from inspector.probes.metrics import measure
from inspector.probes.never_due import why_never_due
from inspector.probes.probe import Suite
from inspector.probes.replay_reply import TIMEOUT
from inspector.probes.replay_target import Target
from inspector.probes.results import Arm
from inspector.probes.runner import CONCURRENCY, REPLICATES
from inspector.probes.session_figures import GROUPINGS, Grouping, cells_at_hand
from inspector.probes.suite import load_suite, save_suite
from inspector.probes.suite_writing import probe_table

ASK_AT = "every:5,around-compactions"
"""Where a model is asked unless the user says: questions cost, and a loss shows around a compaction."""


@click.command()
@DIRECTORY
@click.argument("sessions", metavar="[SESSION]...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="With --metrics: every session of DIR.")
@click.option("--suite", type=click.Path(path_type=Path, dir_okay=False), help="The probes, TOML or JSONL.")
@click.option(
    "--draft", type=click.Path(path_type=Path, dir_okay=False), help="Draft a suite from SESSION into this file."
)
@click.option(
    "--at", metavar="WHERE", help="all, every:N, around-compactions, or numbers of calls; commas between them."
)
@click.option("--ask", "asks", is_flag=True, help="Ask a model, too. Looking needs none.")
@click.option("--endpoint", metavar="URL", help="Where to ask; without it, the server that answered the call.")
@click.option("--api", metavar="NAME", help="Dialect the server speaks: openai.chat, anthropic.messages …")
@click.option("--model", help="Model to ask; without it, the call's own.")
@click.option("--key-env", metavar="NAME", help="Variable that holds the key; the usual one for known hosts.")
@click.option("--header", "headers", metavar="NAME:VALUE", multiple=True, help="A further header; may be repeated.")
@click.option(
    "--replicates", type=click.IntRange(1, 100), default=REPLICATES, show_default=True, help="Answers to each question."
)
@click.option("--controls", is_flag=True, help="Ask with the fact taken out, and with it put last, too.")
@click.option("--repair", is_flag=True, help="Say which earlier messages would help; with --ask, ask with them back.")
@click.option("--bisect", "bisects", metavar="PROBE", help="With --ask: find the first call that the model gets wrong.")
@click.option("--judge", metavar="URL", help="With --ask: a server whose model judges model_graded_… probes.")
@click.option("--judge-model", metavar="NAME", help="Model that judges.")
@click.option("--judge-api", metavar="NAME", help="Dialect the judge's server speaks; without it, by its address.")
@click.option("--judge-key-env", metavar="NAME", help="Variable that holds the judge's key.")
@click.option(
    "--budget", type=click.FloatRange(min=0), metavar="AMOUNT", help="Stop before more is spent; needs [prices]."
)
@click.option("--token-budget", type=click.IntRange(min=0), metavar="N", help="Stop before more tokens are used.")
@click.option(
    "--concurrency", type=click.IntRange(1, 64), default=CONCURRENCY, show_default=True, help="Questions in flight."
)
@click.option(
    "--timeout", type=click.FloatRange(min=1), default=TIMEOUT, show_default=True, help="Seconds for one answer."
)
@click.option(
    "--metrics",
    "measures",
    is_flag=True,
    help="Print figures: of SESSION, too, or of several sessions and all together.",
)
@click.option("--by", type=click.Choice(GROUPINGS), help="With figures of several sessions: those of each group, too.")
@click.option("--yes", is_flag=True, help="Send without asking back.")
@click.option("--force", is_flag=True, help="--draft may replace the probes of a file that is there.")
@AS_JSON
def probe(
    directory: Path,
    sessions: tuple[str, ...],
    every: bool,
    suite: Path | None,
    draft: Path | None,
    at: str | None,
    asks: bool,
    endpoint: str | None,
    api: str | None,
    model: str | None,
    key_env: str | None,
    headers: tuple[str, ...],
    replicates: int,
    controls: bool,
    repair: bool,
    bisects: str | None,
    judge: str | None,
    judge_model: str | None,
    judge_api: str | None,
    judge_key_env: str | None,
    budget: float | None,
    token_budget: int | None,
    concurrency: int,
    timeout: float,
    measures: bool,
    by: Grouping | None,
    yes: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Tell whether the contexts of SESSION hold what a suite asks: exit code 1 when one does not.

    Looking comes first and is free. With --ask the stored requests themselves are sent again, each with a
    question behind it, after you have seen what that takes. Answers are kept in DIR/probes and never asked for twice.

    With --metrics and several sessions, or --all: their figures and those of all together, by looking and by the
    answers at hand. Without --suite each session has the suite that was drafted from it, else a draft.
    """
    if len(sessions) != 1 or every or by is not None or (measures and suite is None and draft is None):
        of_one = {"--ask": asks, "--at": at, "--draft": draft, "--bisect": bisects, "--repair": repair}
        _refuse_for_several(sessions, every, measures, [name for name, given in of_one.items() if given])
        return show_figures(directory, sessions, None if suite is None else load_suite(suite), by, as_json=as_json)
    (session,) = sessions
    if (suite is None) == (draft is None):
        raise click.UsageError("name the probes with --suite FILE, or draft some with --draft FILE")
    if asks and (absent := missing(["httpx2"])):
        complain(f"{', '.join(absent)} not installed; {INSTALL}")
        return Exit.INCOMPLETE
    if bisects is not None and not asks:
        raise click.UsageError("--bisect asks a model: add --ask (looking shows where it flips by itself)")
    arms: tuple[Arm, ...] = ("as sent", *(("without the fact", "fact last") if controls else ()))
    wanted = Wanted(
        target=Target(endpoint, api, model, key_env, _headers(headers)),
        arms=(*arms, "repair") if repair else arms,
        replicates=replicates,
        budget=Budget(budget, token_budget),
        concurrency=concurrency,
        timeout=timeout,
        confirmed=yes,
        judge=_judge(Target(judge, judge_api, judge_model, judge_key_env), asks=asks),
    )
    probes = load_suite(suite) if suite is not None else None
    with opened(directory, session=session) as traces:
        facts = read_facts(traces, traces.session(session).session)
        say_unreadable(traces)
        if draft is not None:
            return _draft(traces, facts, draft, force=force, as_json=as_json)
        assert probes is not None
        if bisects is not None:
            return _bisect(traces, facts, probes, bisects, wanted, as_json=as_json)
        return _probe(
            traces, facts, probes, at, wanted if asks else None, repair=repair, measures=measures, as_json=as_json
        )


def _refuse_for_several(sessions: Sequence[str], every: bool, measures: bool, of_one: Sequence[str]) -> None:
    if every and sessions:
        raise click.UsageError("--all is every session of DIR: name none beside it")
    if not every and not sessions:
        raise click.UsageError("name a SESSION; or several, or --all, with --metrics")
    if not measures:
        raise click.UsageError("verdicts are of one session; of several there are figures: add --metrics")
    if of_one:
        raise click.UsageError(f"{', '.join(of_one)}: one session at a time; figures of several are of what is at hand")


def _judge(target: Target, *, asks: bool) -> ModelJudge | None:
    if target == Target():
        return None
    if not asks:
        raise click.UsageError("--judge judges answers: add --ask")
    if target.endpoint is None or target.model is None:
        raise click.UsageError("a judge needs both --judge URL and --judge-model NAME")
    return ModelJudge(target)


def _headers(words: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for word in words:
        name, colon, value = word.partition(":")
        if not colon or not name.strip():
            raise click.UsageError("--header wants NAME:VALUE, such as anthropic-beta:context-management-2025-06-27")
        if not all(" " <= character <= "~" for character in word):
            raise click.UsageError(f"--header {name.strip()!r}: it holds a character that cannot be sent")
        found[name.strip().lower()] = value.strip()
    return found


def _draft(traces: Index, facts: SessionFacts, file: Path, *, force: bool, as_json: bool) -> int:
    if file.exists() and not force:
        raise CannotWriteError(file, "it is there already; --force keeps its comments and replaces its probes")
    drafts = draft_probes(facts, traces.pins(facts.session), traces.watches(facts.session))
    suite = suite_of(drafts, facts.session)
    if not suite.probes:
        why = "nothing that was found is chosen" if drafts else "nothing looks like something to be remembered"
        complain(f"{why}: nothing was written", "Write a suite by hand.")
        if as_json:
            write_json([{"chosen": one.chosen, "why": one.why, **probe_table(one.probe)} for one in drafts])
        elif drafts:
            print_drafts(drafts)
        return Exit.BROKEN
    save_suite(suite, file)
    if as_json:
        write_json([{"chosen": one.chosen, "why": one.why, **probe_table(one.probe)} for one in drafts])
    else:
        print_drafts(drafts)
    click.echo(f"Wrote {file}: {len(suite.probes)} of {len(drafts)} proposed probes", err=True)
    return Exit.DONE


def _probe(
    traces: Index,
    facts: SessionFacts,
    suite: Suite,
    at: str | None,
    wanted: Wanted | None,
    *,
    repair: bool,
    measures: bool,
    as_json: bool,
) -> int:
    _say_session(suite, facts)
    looks = look(suite.probes, facts)
    try:
        calls = calls_to_ask(at or ("all" if wanted is None else ASK_AT), facts.calls, facts.changes)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    never = [found.probe for found in looks if not found.ever_due]
    for probe in never:
        complain(one_line(f"never due in this session: {probe.id}: {why_never_due(probe, facts)}"))
    asked = Asked({}, (), None)
    if wanted is not None:
        asked = ask(traces, traces.directory, looks, facts, calls, wanted)
    decided = make_cells(looks, asked.records, asked.not_asked, judge=asked.judge, wants_answer=True)
    cells = [cell for cell in decided if cell.call in calls]
    repairs = find_repairs(looks, cells, facts) if repair else {}
    counted = cells
    if wanted is None:  # the answers of earlier runs count, as they do on the page
        at_hand = cells_at_hand(looks, facts.session, traces.watchlist.file.parent)
        counted = [cell for cell in at_hand if cell.call in calls]
    metrics = measure(looks, counted, facts.changes.contexts, facts.answers)
    if as_json:
        write_json(
            {
                "suite": suite.name,
                "session": facts.session,
                "at": calls,
                "probes": cells_json(looks, cells, repairs),
                "metrics": metrics_json(metrics),
            }
        )
    else:
        print_cells(looks, cells, calls)
        print_repairs(repairs)
        if measures:
            print_metrics(metrics)
    left = any(one.left or one.failed for one in (asked.summary, asked.judged) if one is not None)
    return Exit.BROKEN if left or never or any(cell.failed for cell in cells) else Exit.DONE


def _say_session(suite: Suite, facts: SessionFacts) -> None:
    if suite.session not in (None, facts.session):
        complain(one_line(f"the suite was made for session {suite.session!r}; it is put to {facts.session!r}"))


def _bisect(traces: Index, facts: SessionFacts, suite: Suite, name: str, wanted: Wanted, *, as_json: bool) -> int:
    probes = [probe for probe in suite.probes if probe.id == name]
    if not probes:
        known = ", ".join(probe.id for probe in suite.probes)
        raise click.UsageError(f"the suite has no probe {name!r}; it has {known}")
    _say_session(suite, facts)
    (found,) = look(probes, facts)
    searched = search(traces, traces.directory, found, facts, wanted)
    flip = searched.flip
    asked = f"{len(flip.asked)} call{'' if len(flip.asked) == 1 else 's'} asked"
    if as_json:
        write_json({**plain(flip), "trouble": searched.trouble})
    elif searched.trouble is not None:
        click.echo(one_line(f"{name}: the search did not end ({searched.trouble}); {asked}"))
    elif flip.call is None:
        click.echo(f"{name}: {flip.why} ({asked})")
    else:
        by = "" if flip.compaction is None else f", compaction {flip.compaction}"
        click.echo(f"{name}: flips at call {flip.call}{by}: {flip.why} ({asked})")
    broken = flip.call is not None or searched.trouble is not None or any(one.failed for one in searched.summaries)
    return Exit.BROKEN if broken else Exit.DONE
