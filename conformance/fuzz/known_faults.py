"""Known faults that are not fixed yet, each with the reason.

A test fails if a case in this table has no fault any more, so that its entry is removed.
"""

from collections.abc import Mapping

KNOWN: Mapping[str, str] = {}
"""Case name -> reason why it may fail."""
