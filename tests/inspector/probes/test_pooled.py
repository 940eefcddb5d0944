"""Facts about figures of several sessions put together: sums over sums, and from where to where they reach."""

from __future__ import annotations

from inspector.probes.metrics import SHORT_NAMES, Metric, measure
from inspector.probes.pooled import PooledMetric, pool

LOSS = "constraint_loss_rate"


def pooled(*shares: tuple[str, float, int]) -> PooledMetric:
    """The loss of constraints over sessions, each a name, a part and a whole."""
    found = pool((session, [Metric(LOSS, part, whole, "")]) for session, part, whole in shares)
    return next(one for one in found if one.metric.name == LOSS)


def test_parts_and_wholes_are_added_up() -> None:
    """3 of 10 and 1 of 2 are 4 of 12, and not the mean of two shares."""
    one = pooled(("long", 3, 10), ("short", 1, 2))

    assert (one.metric.part, one.metric.whole, one.metric.value) == (4, 12, 4 / 12)


def test_a_session_with_nothing_to_count_does_not_count() -> None:
    """Neither as 0 of the spread nor among the sessions that have the figure."""
    one = pooled(("empty", 0, 0), ("a", 1, 2))

    assert (one.sessions, one.metric.whole) == (1, 2)
    assert one.lowest is not None
    assert one.lowest.session == "a"


def test_of_nothing_but_nothing_it_is_unknown() -> None:
    """Not 0: no session had anything to lose."""
    one = pooled(("a", 0, 0), ("b", 0, 0))

    assert (one.metric.value, one.sessions, one.lowest, one.highest) == (None, 0, None, None)


def test_the_spread_names_its_ends() -> None:
    """Of equals the first by name, whatever the order they come in."""
    one = pooled(("d", 2, 2), ("b", 0, 5), ("c", 1, 1), ("a", 0, 1))
    assert one.lowest is not None
    assert one.highest is not None

    assert (one.lowest.session, one.lowest.value) == ("a", 0)
    assert (one.highest.session, one.highest.value) == ("c", 1)


def test_sessions_with_at_least_one_are_counted() -> None:
    """Of a rate of losses: how many sessions lost something."""
    assert pooled(("a", 0, 4), ("b", 1, 4), ("c", 4, 4)).touched == 2


def test_no_session_has_every_figure_unknown() -> None:
    """The same figures in the same order as those of one session, with their formulas."""
    alone = measure((), (), (), {})
    together = pool(())

    assert [one.metric for one in together] == list(alone)
    assert all(one.metric.value is None for one in together)


def test_every_figure_has_a_short_name() -> None:
    """In the order of the figures: it heads their columns."""
    assert list(SHORT_NAMES) == [one.name for one in measure((), (), (), {})]


def test_what_a_figure_is_of_is_written_out() -> None:
    """Whole numbers with thousands set off, means with two decimals, nothing as nothing."""
    said = [Metric("", part, whole, "").of for part, whole in ((13996, 16000), (8 / 3, 4), (0, 0), (0, 1))]

    assert said == ["13,996 of 16,000", "2.67 of 4", "of nothing", "0 of 1"]
