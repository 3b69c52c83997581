"""What a transaction asked for and offered: its messages, memo and fee.

content   the parts that tables and names are made of, and their form in a block line
fields    typed reading of one message, of protobuf or of JSON
shapes    where each message of IBC has its client, channel, sequence and proof height
decode    a transaction's bytes, or its JSON as the REST gateway prints it

It reads what strangers wrote: every part is typed and bounded, and what is malformed has a reason.
"""
