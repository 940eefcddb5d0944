"""Sample sessions, each one real kind of forgetting, recorded by a scripted agent through the real SDK."""

from __future__ import annotations

from pathlib import Path
from typing import Final

TRACES: Final = Path(__file__).parent / "traces"
"""The committed trace files; ``python -m sample_data.generate OUT`` makes the same bytes again."""
