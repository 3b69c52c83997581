"""Decoder of transactions: messages, memo and fee.

content   the content of a transaction that the index uses, and its form in block lines
fields    typed access to the fields of a message, in protobuf or JSON
shapes    paths of client, channel, sequence and proof height in each IBC message
decode    decodes a transaction from bytes, or from JSON as the REST gateway prints it

Transactions come from untrusted users: all fields are validated and bounded, and malformed ones are reported.
"""
