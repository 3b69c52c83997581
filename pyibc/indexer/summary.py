"""Texts of the summary of an index."""

import re

from pyibc.indexer.problems import Skipped


def compact(summary: str) -> str:
    """Reformat ranges of heights in JSON to one line each."""
    return re.sub(r"\[\n\s+(\d+),\n\s+(\d+)\n\s+\]", r"[\1, \2]", summary) + "\n"


def apart(number: int) -> list[Skipped]:
    """Describe the number of receiving ends without a sending chain; nothing if there are none."""
    text = "receiving ends could not be matched to a sending chain; their packets have separate rows"
    return [Skipped("", f"{number} {text}")] if number else []
