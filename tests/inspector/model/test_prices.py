"""Facts about prices: the user's own, and unknown where none is stated."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.errors import SettingsError
from inspector.model.prices import Price, Prices
from inspector.model.settings import Settings


def load(tmp_path: Path, text: str) -> Settings:
    """Read settings."""
    file = tmp_path / "inspector.toml"
    file.write_text(text, "utf-8")
    return Settings.load(file)


def test_a_price_is_for_a_million_tokens() -> None:
    """What came from the cache is cheaper where that is stated, and no cheaper where it is not."""
    assert Price(2.0, 8.0, 0.5).cost(1_000_000, 500_000, 400_000) == pytest.approx(1.2 + 0.2 + 4.0)
    assert Price(2.0, 8.0).cost(1_000_000, 0, 400_000) == pytest.approx(2.0)


def test_the_first_pattern_that_fits_counts(tmp_path: Path) -> None:
    """A model without a price has none, which is not 0."""
    text = (
        '[prices."gpt-4.1-mini*"]\ninput = 0.4\noutput = 1.6\n[prices."gpt-4*"]\ninput = 2\noutput = 8\ncached = 0.5\n'
    )
    settings = load(tmp_path, text)

    assert settings.price_of("gpt-4.1-mini-2025") == Price(0.4, 1.6)
    assert settings.price_of("openai/gpt-4.1") == Price(2.0, 8.0, 0.5)
    assert settings.price_of("claude") is None
    assert Settings().price_of("gpt-4.1") is None


def test_the_currency_is_the_users(tmp_path: Path) -> None:
    """Dollars unless it is said."""
    assert load(tmp_path, '[prices]\ncurrency = "€"\n').prices.amount(2) == "€2.00"
    assert Prices().amount(0.0314) == "$0.0314"
    assert Prices().amount(None) == "–"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("prices = 3", "prices"),
        ("[prices]\ngpt = 3", "prices.gpt"),
        ("[prices.gpt]\ninput = 1", "prices.gpt.output"),
        ("[prices.gpt]\ninput = -1\noutput = 1", "prices.gpt.input"),
        ('[prices.gpt]\ninput = "1"\noutput = 1', "prices.gpt.input"),
        ("[prices.gpt]\ninput = nan\noutput = 1", "prices.gpt.input"),
        ("[prices.gpt]\ninput = 1\noutput = 1\ntax = 1", "prices.gpt.tax"),
        ("[prices]\ncurrency = 1", "prices.currency"),
    ],
)
def test_a_price_that_is_none_is_named(text: str, key: str, tmp_path: Path) -> None:
    """By file and key."""
    with pytest.raises(SettingsError) as raised:
        load(tmp_path, text)

    assert raised.value.key == key


def test_a_price_makes_no_index_anew(tmp_path: Path) -> None:
    """It decides neither layers nor counts."""
    assert load(tmp_path, "[prices.gpt]\ninput = 1\noutput = 1\n").fingerprint == Settings().fingerprint
