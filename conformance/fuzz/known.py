"""Faults that are known and not mended yet: each with its reason, none for ever.

A test fails when a case of this table is clean: then it leaves the table.
"""

from collections.abc import Mapping

_CHILDREN = "neighbours look for each child in the whole child order"
_MERGED = "a side of a proof of absence that is merged copies its path each time"

KNOWN: Mapping[str, str] = {
    "proof: many children, backwards": _CHILDREN,
    "proof: many children, all but one empty": _CHILDREN,
    "proof of absence proofs.nonexist.left: filled again and again": _MERGED,
    "proof of absence proofs.nonexist.right: filled again and again": _MERGED,
}
"""Name of a case -> why it may fail."""
