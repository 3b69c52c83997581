"""Recordings of node responses: `/block`, `/block_results`, `/tx`, `tx_search`, WebSocket, the REST gateway.

    reading   splits a file, compressed or not, into JSON documents, and reads their records
    shapes    classifies a JSON document: header, block results, transactions, subscription messages
    records   decodes headers and single transactions
    fields    fields of a document, and events, plain or base64-encoded
    assemble  combines headers, results and transactions of all files to blocks

Responses of Tendermint 0.34 (`begin_block_events`, base64 attributes, a `log` that repeats the events) and
CometBFT 0.38 (`finalize_block_events`, plain attributes) are distinguished by content.
"""
