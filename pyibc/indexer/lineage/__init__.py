"""Chains over restarts and upgrades: which blocks are of one chain, and which chains continue each other.

    incarnations  chains that were restarted from genesis under their id, and their names in the results
    restarts      finds such chains in blocks that do not name their incarnation
    lineages      joins the revisions of a chain that kept its IBC state
    evidence      finds what shows that one chain continues another, in packets and client facts

`restarts` and `lineages` decide from plain values, without engine and files.
"""
