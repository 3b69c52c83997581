"""Guards of answers that nodes of ours give to relayers in short: deflated, in brief, without the block."""

from tools.guards.mutant import Mutant

COMPACT = "tests/unit/ibc_relayer/test_compact_results.py::"
EVENTS = "tests/unit/ibc_core/test_packet_events.py::"

SHORT_ANSWERS = (
    Mutant(
        "h237-inflated-without-bound",
        "ibc_core/wire/deflated.py",
        (("whole.decompress(deflated, most)", "whole.decompress(deflated)"),),
        (
            "tests/unit/ibc_core/wire/test_deflated.py::test_h237_a_gigabyte_is_not_made_of_a_megabyte",
            f"{COMPACT}test_h237_no_more_is_inflated_than_a_block_has",
        ),
    ),
    Mutant(
        "transactions-of-no-header",
        "ibc_relayer/compact_results.py",
        (("!= header.data_hash:", "!= header.data_hash and False:"),),
        (f"{COMPACT}test_transactions_that_the_header_does_not_hash_are_refused",),
    ),
    Mutant(
        "headers-of-several-nodes-are-not-compared",
        "ibc_relayer/rpc_pool.py",
        (('if method in {"block", "header"} and', 'if method == "block" and'),),
        (f"{COMPACT}test_a_node_that_lies_in_a_header_is_dropped",),
    ),
    Mutant(
        "results-without-transactions",
        "ibc_relayer/compact_results.py",
        (("        if results and not txs:\n            return None\n", ""),),
        (f"{COMPACT}test_of_a_node_that_tells_no_transactions_json_is_asked_for",),
    ),
    Mutant(
        "headers-of-another-block",
        "ibc_relayer/rpc_blocks.py",
        (
            (
                "            self._require(height, block.chain_id, block.height)\n            return",
                "            return",
            ),
        ),
        (f"{COMPACT}test_a_header_of_another_block_is_refused",),
    ),
    Mutant(
        "brief-events-lose-their-bytes",
        "ibc_core/packet/brief.py",
        (("return _EXACT.get(key) not in keys", "return key not in _EXACT"),),
        (f"{EVENTS}test_bytes_that_are_there_in_text_alone_stay",),
    ),
)
