"""Recordings of node responses: `/block`, `/block_results`, `/tx`, `tx_search`, WebSocket, the REST gateway.

    documents      splits a file, compressed or not, into JSON documents
    attributes     decodes events, plain or base64-encoded, joined by type or not
    records        headers and results of blocks
    transactions   single transactions
    subscriptions  messages of WebSocket subscriptions
    shapes         classifies a JSON document: header, block results, transactions
    assemble       combines headers, results and transactions of all files to blocks

Responses of Tendermint 0.34 (`begin_block_events`, base64 attributes, a `log` that repeats the events) and
CometBFT 0.38 (`finalize_block_events`, plain attributes) are distinguished by content.
"""
