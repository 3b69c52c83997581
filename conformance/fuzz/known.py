"""Faults that are known and not mended yet: each with its reason, none for ever.

A test fails when a case of this table is clean: then it leaves the table.
"""

from collections.abc import Mapping

KNOWN: Mapping[str, str] = {}
"""Name of a case -> why it may fail."""
