"""SQL expressions that several steps of the pipeline use."""

CHAIN_KEY = "chain || coalesce(' ' || incarnation, '')"
"""SQL expression: chain and incarnation as one text, that of a `ChainKey`."""
OWN_END = {
    "port": "CASE WHEN receiving THEN dst_port ELSE src_port END",
    "channel": "CASE WHEN receiving THEN dst_channel ELSE src_channel END",
}
"""SQL expressions: the channel end of a packet event on its own chain."""
OTHER_END = {
    "other_port": "CASE WHEN receiving THEN src_port ELSE dst_port END",
    "other_channel": "CASE WHEN receiving THEN src_channel ELSE dst_channel END",
}
"""SQL expressions: the channel end of a packet event on the other chain."""
