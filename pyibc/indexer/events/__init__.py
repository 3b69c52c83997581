"""Content of the events and transactions of a block: packets, transfers, calls, clients, channels.

    packets       packet events of a block with their relayers; events that an error undid are left out
    packet_facts  the packet in an event of IBC v1 or v2, and the numbers of path ends and event types
    queue         the packet in an event of the queue protocol
    acks          success and error in acknowledgements
    ics20         transfers in packet data and events
    forwards      transfers that another packet's receive sent on, and the names of their coins
    calls         calls by interchain accounts and GMP
    facts         facts about clients, connections and channels
    transactions  content of a transaction, in bytes or JSON
    messages      paths of the fields in IBC messages

Events and transactions come from untrusted users: all fields are validated and bounded, and malformed ones
are reported.
"""
