"""Guards of the host's side: what a stranger's transaction may cost, who pays for it."""

from tools.guards.mutant import Mutant

OVERLAY = "tests/unit/ibc_core/test_overlay.py::"
WRITTEN = "tests/unit/ibc_core/test_written_keys.py::"

H71 = (
    Mutant(
        "h71-deletions-are-passed-over-for-nothing",
        "ibc_core/host/overlay.py",
        (
            (
                '                consume(ITER_NEXT_COST + READ_BYTE * (len(key) + len(value or b"")))\n',
                "                consume(0 if value is None else ITER_NEXT_COST + READ_BYTE * (len(key) + len(value)))\n",
            ),
        ),
        (f"{OVERLAY}test_h71_a_deletion_that_is_passed_over_costs_as_an_entry_does",),
    ),
    Mutant(
        "h71-what-is-undone-stays-in-the-order",
        "ibc_core/host/written_keys.py",
        (("            self._sorted.remove(key)\n", "            pass\n"),),
        (f"{WRITTEN}test_h71_an_undone_transaction_leaves_nothing_to_walk_over",),
    ),
)
