"""A fact is followed through the calls: where it stood, what carried it, when it went."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.fact_trace import FactTrace
from inspector.analysis.lifelines import SessionLife, trace_lifelines
from inspector.analysis.tracing import EXCERPT, trace_fact
from inspector.index import Index, open_index
from inspector.model.context import CallContext
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from inspector.model.views import TokenCount
from sample_data import TRACES
from snapshot_sdk.facts import Fact, Matcher, find_facts

Follow = Callable[[str, Fact], FactTrace]
RULE = Fact("rule", "以后请只用中文回答我")
ORDER = Fact("id", "ORD-2024-001", ("订单号",))
BUDGET = Fact("money", "8500元", ("预算",))


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    """Open the samples."""
    with open_index(TRACES) as index:
        index.refresh()
        yield index


@pytest.fixture(scope="module")
def follow(index: Index) -> Follow:
    """Give a way to follow a fact through a sample."""

    def trace(session: str, fact: Fact) -> FactTrace:
        changes = trace_changes(index, session)
        return trace_fact(
            Matcher(fact), changes.contexts, changes.life, answers=index.answers(session), changes=changes.compactions
        )

    return trace


def life_of(contexts: list[CallContext]) -> SessionLife:
    """The lifelines of contexts made by hand."""
    return trace_lifelines(contexts)


def summary_at(call: int, message: int) -> CompactionChange:
    """A compaction whose record names a message as its summary."""
    unknown = TokenCount(None, "unknown")
    return CompactionChange(
        number=call - 1,
        id=f"c{call}",
        call=call,
        before_call=call - 1,
        said_by="recorded",
        certainty="certain",
        evidence="recorded by the agent",
        lane="main",
        state="done",
        strategy="summary",
        policy=None,
        reason=None,
        caller=None,
        duration_ms=None,
        error=None,
        tokens_before=unknown,
        tokens_after=unknown,
        layers_before={},
        layers_after={},
        fates={},
        summary=message,
        taken=(),
        tokens_taken=None,
        tokens_left=None,
    )


def states(trace: FactTrace) -> list[str]:
    """State by call."""
    return [call.state for call in trace.calls]


def test_the_rule_goes_with_the_trim(follow: Follow) -> None:
    """In order-4711 it stands in m4 for twelve calls, and the first compaction takes it at call 13."""
    trace = follow("order-4711", RULE)
    [loss] = trace.losses
    assert states(trace) == ["kept"] * 12 + ["evicted"] * 9
    assert (loss.call, loss.before_call, loss.carriers, loss.compaction, loss.remains) == (13, 12, (4,), 1, "nothing")
    assert loss.event is not None
    assert loss.event.fate is Fate.EVICTED


def test_the_number_is_asked_for_and_comes_back(follow: Follow) -> None:
    """In order-4711 it goes at call 13, is asked for at call 16 and used from call 17."""
    trace = follow("order-4711", ORDER)
    [loss] = trace.losses
    answers = {call.call: call.answer for call in trace.calls}
    assert (trace.first_call, trace.brought_by) == (2, "prompt")
    assert (loss.call, loss.returned_call) == (13, 17)
    assert [answers[call] for call in range(15, 22)] == [None, "asked for", *["used"] * 5]


def test_a_look_alike_is_nowhere(follow: Follow) -> None:
    """ORD-2024-0012 is never said in order-4711, though ORD-2024-001 is."""
    trace = follow("order-4711", Fact("id", "ORD-2024-0012"))
    assert (set(states(trace)), trace.first_call, trace.losses) == ({"not yet"}, None, ())


def test_a_summary_carries_a_limit_until_it_is_shrunk(follow: Follow) -> None:
    """In returns-desk a summary says it from call 20 on, and the one of call 33 no longer does."""
    trace = follow("returns-desk", Fact("rule", "never more than 800 words"))
    found = states(trace)
    assert (found[18], found[19], found[31], found[32]) == ("kept", "summarised", "summarised", "evicted")
    assert [(loss.call, loss.compaction) for loss in trace.losses] == [(33, 2)]


def test_a_rule_goes_and_comes_back_between_lanes(follow: Follow) -> None:
    """In lisbon-offsite the side calls 9 to 11 are not told it; the lane that knew it has lost nothing there."""
    trace = follow("lisbon-offsite", Fact("rule", "Never put anyone on a flight that leaves before 9:00."))
    assert states(trace)[7:12] == ["kept", "not yet", "not yet", "not yet", "kept"]
    assert all(loss.call not in (9, 10, 11) for loss in trace.losses)


def test_each_carrier_says_where_and_what(follow: Follow) -> None:
    """Message, role, layer, the calls in which it says the fact, and an excerpt of at most a line."""
    [carrier] = follow("order-4711", RULE).carriers
    [excerpt] = carrier.excerpts.values()
    assert (carrier.number, carrier.role, sorted(carrier.states)) == (4, "user", list(range(1, 13)))
    assert RULE.text in excerpt
    assert len(excerpt) <= EXCERPT + 2


def test_a_later_word_of_the_user_is_no_loss(block: Callable, calls: Callable) -> None:
    """A new value that the user sets supersedes the old one."""
    one = calls([block("预算8500元")], [block("预算8500元"), block("预算改成9500元")])
    trace = trace_fact(Matcher(BUDGET), one, life_of(one))
    assert states(trace) == ["kept", "superseded"]
    assert trace.losses == ()


def test_another_value_in_a_summary_is_a_distortion(block: Callable, calls: Callable) -> None:
    """It stands in the fact's place, and the loss says so."""
    summary = block("预算9500元", role="system", layer=Layer.SUMMARY, is_summary=True)
    contexts = calls([block("预算8500元")], [summary])
    trace = trace_fact(Matcher(BUDGET), contexts, life_of(contexts))
    assert states(trace) == ["kept", "distorted"]
    assert trace.losses[0].remains == "another value"


def test_a_summary_that_only_its_record_names_is_one(block: Callable, calls: Callable) -> None:
    """Not every agent puts a sign into it: what a compaction names as its summary says the fact as one."""
    contexts = calls(
        [block("预算8500元"), block("x")],
        [block("聊过的：预算8500元")],
        [block("聊过的：预算9500元", role="assistant")],
    )
    life = life_of(contexts)
    changes = [summary_at(context.call, life.numbers[context.call][0]) for context in contexts[1:]]
    trace = trace_fact(Matcher(BUDGET), contexts, life, changes=changes)
    assert states(trace) == ["kept", "summarised", "distorted"]


def test_a_lane_that_never_had_a_fact_has_not_lost_it(block: Callable, calls: Callable) -> None:
    """A sub-agent starts without it; told another value, it has that instead."""
    main = calls([block("预算8500元")])
    other = calls(
        [block("look it up")],
        [block("look it up"), block("预算9500元", "system", layer=Layer.STATE)],
        lane="b",
        first=2,
    )
    contexts = [*main, *other]
    assert states(trace_fact(Matcher(BUDGET), contexts, life_of(contexts))) == ["kept", "not yet", "distorted"]


def test_another_value_in_a_tool_result_is_another_thing(block: Callable, calls: Callable) -> None:
    """The fact is gone, but nothing has taken its place."""
    contexts = calls([block("预算8500元")], [block("预算9500元", role="tool")])
    assert states(trace_fact(Matcher(BUDGET), contexts, life_of(contexts))) == ["kept", "evicted"]


def test_a_path_that_stays_makes_a_fact_recoverable(block: Callable, calls: Callable) -> None:
    """A tool result that was moved into a file leads back to it."""
    long = "用户的预算8500元 " + "明细 " * 40
    contexts = calls(
        [block(long, role="tool", keys=("c1",))],
        [block("see /tmp/out/c1.txt " + "明细 " * 40, role="tool", keys=("c1",))],
    )
    trace = trace_fact(Matcher(BUDGET), contexts, life_of(contexts))
    assert trace.calls[1].state == "recoverable"
    assert (trace.losses[0].remains, trace.losses[0].remains_in) == ("pointer", 1)


def test_a_prompt_that_cannot_be_read_is_opaque(block: Callable, calls: Callable) -> None:
    """Whether it holds the fact is not known."""
    contexts = calls([block("hello")])
    trace = trace_fact(Matcher(BUDGET), contexts, life_of(contexts), opaque={1})
    assert states(trace) == ["opaque"]


def test_depth_is_what_stands_behind_the_nearest_copy(block: Callable, calls: Callable) -> None:
    """In tokens, that copy included; unknown where a count is."""
    one, two = block("预算8500元", tokens=10), block("好的", tokens=5)
    contexts = calls([one, two, one, two], [one, block("x", tokens=None)])
    trace = trace_fact(Matcher(BUDGET), contexts, life_of(contexts))
    assert [(call.depth, call.copies) for call in trace.calls] == [(15, 2), (None, 1)]


def test_the_model_may_bring_a_fact_itself(block: Callable, calls: Callable) -> None:
    """Its answer says it before any prompt does."""
    contexts = calls([block("hi")], [block("hi"), block("预算8500元", role="assistant")])
    trace = trace_fact(Matcher(BUDGET), contexts, life_of(contexts), answers={1: "预算定为8500元"})
    assert (trace.brought_by, trace.first_call, trace.calls[0].answer) == ("answer", 2, "used")


def test_an_answer_may_break_a_rule(block: Callable, calls: Callable) -> None:
    """Also when the prompt no longer has it."""
    contexts = calls([block(RULE.text)], [block("where is my order?")])
    answers = {1: "好的，我会用中文。", 2: "Your order is on its way to you."}
    trace = trace_fact(Matcher(RULE), contexts, life_of(contexts), answers=answers)
    assert [(call.answer, call.answer_says) for call in trace.calls] == [(None, ""), ("broken", "not in Chinese")]


def test_an_answer_may_say_another_value(block: Callable, calls: Callable) -> None:
    """Beside the words that go with the fact."""
    contexts = calls([block("预算8500元")])
    trace = trace_fact(Matcher(BUDGET), contexts, life_of(contexts), answers={1: "您的预算是9500元。"})
    assert trace.calls[0].answer == "altered"


def test_an_answer_before_the_fact_alters_nothing(block: Callable, calls: Callable) -> None:
    """What is not known yet cannot be said otherwise."""
    contexts = calls([block("hi")], [block("hi"), block("预算8500元")])
    trace = trace_fact(
        Matcher(BUDGET), contexts, life_of(contexts), answers={1: "您的预算是9500元。", 2: "您的预算是9600元。"}
    )
    assert [call.answer for call in trace.calls] == [None, "altered"]


def test_an_older_permission_has_not_replaced_a_rule(block: Callable, calls: Callable) -> None:
    """The system prompt said it before the user forbade it, and says it still: the rule is merely gone."""
    system = block("You may feed the cat when it cries.", role="system", layer=Layer.SYSTEM)
    contexts = calls([system], [system, block("Never feed the cat.")], [system])
    trace = trace_fact(Matcher(Fact("rule", "Never feed the cat")), contexts, life_of(contexts))
    assert states(trace) == ["not yet", "kept", "evicted"]
    assert trace.losses[0].remains == "nothing"


def test_a_later_permission_stands_in_the_place_of_a_rule(block: Callable, calls: Callable) -> None:
    """A summary that turns it round is seen."""
    summary = block("You may feed the cat.", role="system", layer=Layer.SUMMARY, is_summary=True)
    contexts = calls([block("Never feed the cat.")], [summary])
    trace = trace_fact(Matcher(Fact("rule", "Never feed the cat")), contexts, life_of(contexts))
    assert states(trace) == ["kept", "distorted"]


def test_a_content_is_looked_into_once(block: Callable, calls: Callable) -> None:
    """Prompts repeat nearly all they hold."""
    seen: list[str] = []

    class Counting(Matcher):
        def match(self, text: str):  # type: ignore[no-untyped-def]
            seen.append(text)
            return super().match(text)

    one = block("预算8500元")
    contexts = calls(*([one, block(f"n{n}")] for n in range(50)))
    trace_fact(Counting(BUDGET), contexts, life_of(contexts))
    assert len(seen) == 51


def test_samples_are_traced_as_by_a_look_at_every_message(index: Index) -> None:
    """Each value of each sample's first prompt: copies, carriers and depth in every call."""
    for row in index.sessions():
        changes = trace_changes(index, row.session)
        texts = "\n".join(block.text[:2_000] for block in changes.contexts[0].blocks)
        for found in find_facts(texts)[:4]:
            check_every_call(Matcher(found.fact), changes)


def check_every_call(matcher: Matcher, changes: SessionChanges) -> None:
    """Compare what is traced with what every message says by itself."""
    trace = trace_fact(matcher, changes.contexts, changes.life)
    texts = {block.text for context in changes.contexts for block in context.blocks}
    says = {text: matcher.match(text).state for text in texts}
    for context, here in zip(changes.contexts, trace.calls, strict=True):
        states = [says[block.text] for block in context.blocks]
        holding = [at for at, state in enumerate(states) if state in ("kept", "restated", "conflicting")]
        numbers = changes.life.numbers[context.call]
        assert here.carriers == tuple(numbers[at] for at in holding)
        assert here.copies == len(holding)
        after = context.blocks[holding[-1] :] if holding else ()
        assert here.depth == (sum(block.tokens or 0 for block in after) if holding else None)
