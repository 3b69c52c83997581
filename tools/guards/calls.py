"""Guards of the index's calls: what could be read as something that it is not."""

from tools.guards.mutant import Mutant

CARRIED = "tests/unit/ibc_indexer/calls/test_carried.py::"

H210 = (
    Mutant(
        "h210-of-two-readings-one-is-taken",
        "ibc_indexer/calls/carried.py",
        ((" if len(readings) == 1 else None\n", " if readings else None\n"),),
        (f"{CARRIED}test_h210_data_that_can_be_read_in_two_ways_is_not_read",),
    ),
)

H211 = (
    Mutant(
        "h211-every-message-has-a-row",
        "ibc_indexer/calls/carried.py",
        (("for each in found[:MAX_MESSAGES]]", "for each in found]"),),
        (f"{CARRIED}test_h211_of_many_messages_the_first_have_rows",),
    ),
)

H212 = (
    Mutant(
        "h212-any-payload-is-read-as-a-transfer",
        "ibc_indexer/packet_facts.py",
        (("    if not payload.version.startswith(ICS20):\n", "    if False:\n"),),
        (f"{CARRIED}test_h212_a_call_is_no_transfer",),
    ),
)
