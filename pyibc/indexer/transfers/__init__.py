"""ICS-20 transfers, with the hops of forwarded transfers linked together.

denoms     traces of denominations, and coin names on both chains
forwards   finds packets that were forwarded by the transaction that received them
rows       rows of the transfers in a block, for a segment
table      query for the table of transfers
"""
