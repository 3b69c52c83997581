"""ICS-20's transfers: one row each, and those that were forwarded tied together over their hops.

denoms     where a denomination comes from, and what its coin is called at both ends
forwards   packets that were sent on in the transaction that received them
rows       the transfers of a block, for a sealed range
table      one row a transfer, as a query
"""
