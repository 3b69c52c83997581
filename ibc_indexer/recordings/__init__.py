"""Recordings of nodes: what `/block`, `/block_results`, `/tx`, `tx_search` and the REST gateway answered.

    documents   a file of any size, packed or not: JSON values, one by one
    attributes  events, plain or in base64, joined by type or not
    shapes      a JSON value: a header, a block's results, transactions
    assemble    headers, results and transactions of all files: blocks

Tendermint 0.34 (`begin_block_events`, base64 attributes, a `log` that repeats the events) and CometBFT
0.38 (`finalize_block_events`, plain attributes) are told apart by what is in them.
"""
