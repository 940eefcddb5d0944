"""What asking would take, in tokens and money, before anything is sent; and the budget that stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from inspector.model.prices import Price, Prices

ANSWER_TOKENS: Final = 120
"""Reckoned for an answer: a sentence, and some for a model that thinks first. Only an answer tells the real figure."""
QUESTION_CHARACTERS: Final = 3
"""Characters a token of a question is reckoned with: between English (4) and Chinese (1.5)."""


@dataclass(frozen=True)
class Planned:
    """A question that would be sent."""

    model: str | None
    prompt_tokens: int | None
    """Size of the context it is asked of; None: unknown."""
    question: str


@dataclass(frozen=True)
class Estimate:
    """What some questions would take. An upper bound for the prompt: what the provider has cached costs less."""

    questions: int
    """To be sent; answers at hand are not asked for again."""
    known: int
    """Answers at hand."""
    input_tokens: int | None
    """None: the size of no context is known."""
    unsized: int
    """Questions whose context's size is not known: they are in no figure."""
    output_tokens: int
    cost: float | None
    """None: some model has no price in the settings."""
    unpriced: tuple[str, ...]
    """Models without a price."""
    judged: int = 0
    """Of the questions, those that would go to a judge; at most."""

    def words(self, prices: Prices) -> str:
        """Say it on one line: ``54 questions · ≈ 612,000 tokens · ≈ $1.22``.

        Args:
            prices: For the currency.
        """
        if not self.questions:
            return f"nothing to ask: all {self.known:,} answers are at hand"
        tokens = (
            "tokens unknown" if self.input_tokens is None else f"≈ {self.input_tokens + self.output_tokens:,} tokens"
        )
        if self.cost is None:
            cost = f"cost unknown (no price of {', '.join(self.unpriced)} in inspector.toml)"
        else:
            cost = f"≈ {prices.amount(self.cost)}"
        more = f" · {self.known:,} answers at hand" if self.known else ""
        unsized = f" · {self.unsized:,} of unknown size" if self.unsized else ""
        judged = f", {self.judged:,} of them to the judge" if self.judged else ""
        count = f"{self.questions:,} question{'' if self.questions == 1 else 's'}{judged}"
        return f"{count} · {tokens} · {cost}{unsized}{more}"


def estimate(
    planned: Iterable[Planned], price_of: Callable[[str | None], Price | None], known: int = 0, *, judged: int = 0
) -> Estimate:
    """Reckon what some questions would take.

    Args:
        planned: Those to be sent.
        price_of: The user's prices, by model.
        known: Answers at hand, which are not asked for again.
        judged: How many of those to be sent go to a judge.
    """
    count = unsized = tokens = 0
    cost = 0.0
    unpriced: dict[str, None] = {}
    for one in planned:
        count += 1
        price = price_of(one.model)
        if price is None:
            unpriced[one.model or "a model that is not named"] = None
        if one.prompt_tokens is None:
            unsized += 1
            continue
        size = _prompt_size(one.prompt_tokens, one.question)
        tokens += size
        cost += price.cost(size, ANSWER_TOKENS) if price is not None else 0.0
    sized = count - unsized
    return Estimate(
        questions=count,
        known=known,
        input_tokens=tokens if sized else None,
        unsized=unsized,
        output_tokens=count * ANSWER_TOKENS,
        cost=None if unpriced or not sized else cost,
        unpriced=tuple(unpriced),
        judged=judged,
    )


def _prompt_size(context: int, question: str) -> int:
    return context + len(question) // QUESTION_CHARACTERS + 1


class Taken(NamedTuple):
    """What a question takes, or took."""

    money: float | None
    """None: unknown."""
    tokens: int | None
    """Prompt and answer; None: unknown."""

    @classmethod
    def most(cls, context: int | None, question: str, price: Price | None) -> Self:
        """Reckon a question with its answer.

        Args:
            context: Size of the context it is asked of; None: unknown.
            question: What is asked.
            price: None: unknown.
        """
        if context is None:
            return cls(None, None)
        size = _prompt_size(context, question)
        return cls(None if price is None else price.cost(size, ANSWER_TOKENS), size + ANSWER_TOKENS)

    @classmethod
    def prompt(cls, context: int | None, question: str, price: Price | None) -> Self:
        """Reckon a question that was sent and not answered.

        Args:
            context: Size of the context it is asked of; None: unknown.
            question: What is asked.
            price: None: unknown.
        """
        if context is None:
            return cls(None, None)
        size = _prompt_size(context, question)
        return cls(None if price is None else price.cost(size, 0), size)


@dataclass
class Budget:
    """Stops a run before it spends more than was allowed. What a question cost is known only after it."""

    money: float | None = None
    """None: no limit."""
    tokens: int | None = None
    """None: no limit."""
    spent: float = 0.0
    spent_tokens: int = 0
    unpriced: int = 0
    """Answers whose cost is not known."""
    estimated: int = 0
    """Answers and tries that were charged by an estimate."""

    def allows(self, money: float | None, tokens: int | None) -> bool:
        """Tell whether a further question may be sent.

        Args:
            money: What it may cost at most; None: unknown, which a limit of money does not allow.
            tokens: What it may take at most; None: unknown.
        """
        if self.money is not None and (money is None or self.spent + money > self.money):
            return False
        return self.tokens is None or (tokens is not None and self.spent_tokens + tokens <= self.tokens)

    def add(self, taken: Taken, *, estimated: bool = False) -> None:
        """Note what an answer took, or a try that brought none.

        Args:
            taken: Its tokens and money.
            estimated: The server did not say: it is what was reckoned.
        """
        self.spent_tokens += taken.tokens or 0
        self.estimated += estimated
        if taken.money is None:
            self.unpriced += 1
        else:
            self.spent += taken.money
