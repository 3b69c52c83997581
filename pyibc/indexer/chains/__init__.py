"""Chains: which blocks are of one, which continue each other, and which are at the ends of packets' paths.

    restarts   tells chains apart that began anew under their id, in blocks that do not name their incarnation
    lineages   joins the revisions of a chain that kept its IBC state
    evidence   finds what shows that one chain continues another, in packets and client facts
    known      heights, last blocks and names of the chains of a run
    progress   the last hour in which a chain worked, and its last gap
    registry   reads the user's names and lineages of chains
    resolve    derives the counterparty chain of a channel or client from facts
    ends       pairs the ends of paths by their packets
    routes     routes of packets with the names of both chains

`restarts` and `lineages` decide from plain values, without engine and files. The chain id in a client state
is a claim of the client's creator. Packets with events from both chains are stronger evidence; rows are
never joined because of a claim.
"""
