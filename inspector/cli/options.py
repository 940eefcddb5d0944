"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path

import click

DIRECTORY = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON; docs/cli.md describes the fields.")
