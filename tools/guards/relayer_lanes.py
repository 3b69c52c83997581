"""Guards of submissions that are under way at once."""

from tools.guards.mutant import Mutant

LANES = "tests/unit/ibc_relayer/test_lanes.py::"

MUTANTS_OF_LANES = (
    Mutant(
        "h189-a-task-twice",
        "ibc_relayer/lanes.py",
        (("            self.held.add(task.key)", "            pass"),),
        (f"{LANES}test_h189_several_submissions_share_no_task",),
    ),
    Mutant(
        "h190-closed-too-early",
        "ibc_relayer/lanes.py",
        (("        if not self.under_way(side):", "        if True:"),),
        (f"{LANES}test_h190_a_channel_is_closed_after_all_that_is_under_way",),
    ),
    Mutant(
        "h191-one-for-all",
        "ibc_relayer/lanes.py",
        (("        if not isinstance(error, RelayerError):", "        if True:"),),
        (f"{LANES}test_h191_a_side_that_fails_holds_up_nothing_that_is_for_the_other",),
    ),
    Mutant(
        "h192-headers-without-bound",
        "ibc_relayer/misbehaviour_monitor.py",
        (("        if len(self._waiting) < MAX_WAITING:", "        if True:"),),
        (
            "tests/unit/ibc_relayer/test_link_watch.py::test_h192_headers_that_wait_are_bounded_and_those_dropped_are_told",
        ),
    ),
)
