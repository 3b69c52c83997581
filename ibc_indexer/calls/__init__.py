"""Messages that packets carry to be executed on another chain: interchain accounts' and GMP's.

carried    what a packet's data asks for
rows       the calls of a block, for a sealed range
table      one row a call, one row a message in it, as queries
"""
