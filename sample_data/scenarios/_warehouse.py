"""The inventory of a data warehouse, made up by rule: the same tables and figures at every run."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

PAGE: Final = 14
"""Tables on a page of the list of readers."""
_WEB: Final = ("clicks", "sessions", "devices", "searches", "errors", "referrers")
_SHOP: Final = ("orders", "returns", "stock", "prices", "baskets", "parcels")
_MONEY: Final = ("ledger", "invoice_lines", "payouts", "dunning", "tax", "refunds")
_FORMS: Final = ("raw", "daily", "hourly", "dedup", "joined", "sample", "backfill", "tmp")
_OWNERS: Final = ("growth", "finance-data", "platform", "search", "logistics", "unknown")


_READ: Final = 0.6
"""Share of the tables that somebody read in the last 180 days."""


@dataclass(frozen=True)
class Table:
    """A table of a schema."""

    name: str
    gb: float
    created: str
    last_read: str
    reads: int
    """Queries of the last 180 days."""
    owner: str


@dataclass(frozen=True)
class Schema:
    """A schema of the warehouse."""

    name: str
    subjects: tuple[str, ...]
    """What its tables are about."""
    tables: int
    year: int
    """Its tables were made in this year."""
    gb: float = 22.0
    """Size of its median table."""


SCHEMAS: Final = {
    schema.name: schema
    for schema in (
        Schema("events", _WEB, 380, 2024),
        Schema("web_logs", _WEB, 380, 2023),
        Schema("exports", _SHOP, 300, 2024),
        Schema("staging", _SHOP, 300, 2025),
        Schema("billing_2022", _MONEY, 90, 2022),
        Schema("billing_2023", _MONEY, 120, 2023, 190.0),
        Schema("billing_2024", _MONEY, 90, 2024),
    )
}


def inventory(schema: str) -> str:
    """List the tables of a schema, largest first, as the tool writes it: comma-separated, a heading."""
    rows = [f"{t.name},{t.gb},{t.created},{t.last_read},{t.reads},{t.owner}" for t in tables(schema)]
    return "\n".join([f"# {schema}: {len(rows)} tables", "table,gb,created,last_read,reads_180d,owner", *rows])


def readers(schema: str, page: int) -> str:
    """List who read the largest tables of a schema in the last 180 days, a page at a time."""
    chance = random.Random(f"readers {schema} {page}")
    lines = [f"# {schema}: readers of the last 180 days, page {page}"]
    for table in tables(schema)[(page - 1) * PAGE : page * PAGE]:
        teams = chance.sample(_OWNERS[:-1], k=chance.randint(1, 3)) if table.reads else []
        read_by = "; ".join(f"{team} {chance.randint(1, 40)} queries" for team in teams) or "nobody"
        lines.append(f"{schema}.{table.name}, {table.gb} GB: {read_by}; last {table.last_read}")
    return "\n".join(lines)


def tables(schema: str) -> list[Table]:
    """List the tables of a schema, largest first."""
    made = SCHEMAS[schema]
    chance = random.Random(schema)
    names = [f"{subject}_{form}_{n:02}" for n in range(1, 9) for subject in made.subjects for form in _FORMS]
    rows = []
    for name in chance.sample(names, k=made.tables):
        read = chance.random() < _READ
        month, day = chance.randint(1, 12), chance.randint(1, 28)
        rows.append(
            Table(
                name=name,
                gb=round(chance.lognormvariate(0.0, 1.6) * made.gb, 1),
                created=f"{made.year}-{month:02}-{day:02}",
                last_read=f"2026-{chance.randint(6, 10):02}-{day:02}" if read else f"2025-{month:02}-{day:02}",
                reads=chance.randint(1, 900) if read else 0,
                owner=chance.choice(_OWNERS),
            )
        )
    return sorted(rows, key=lambda table: -table.gb)
