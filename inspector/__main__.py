"""Lets ``python -m inspector`` stand for the command ``context-inspector``."""

from __future__ import annotations

import sys

from inspector.cli import main

if __name__ == "__main__":
    sys.exit(main())
