"""Calls: messages in packets for execution on the counterparty chain, by interchain accounts or GMP.

carried    decodes calls from packet data
rows       rows of the calls in a block, for a segment
table      queries for the tables of calls and of their messages
"""
