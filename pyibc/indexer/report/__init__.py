"""HTML report of an index: one self-contained page, as a file or served by the live index.

page             the page from the answers of a run
packet_sections  sections from the packet table
chain_sections   sections about chains, clients, channels and transactions
view             selection by chain and channel
plots            SVG pictures
"""
