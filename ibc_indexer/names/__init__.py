"""Which chain is at the other end: what handshakes, client messages and the user say.

    facts     clients, connections and channels out of a block
    resolve   those facts together: the chain at the other end of a channel or client
    registry  the user's own file of names
    told      a sealed range's facts, each once
    ways      the chains at both ends of every way of packets

A client's chain id is what its creator wrote: a claim. Packets seen on both sides (`ibc_indexer/pairing.py`)
are stronger evidence, and no row is joined by a claim.
"""
