"""Names of counterparty chains, from handshakes, client messages and the user's registry.

    facts     extracts facts about clients, connections and channels from a block
    resolve   derives the counterparty chain of a channel or client from all facts
    registry  reads the user's file of chain names
    told      collects the distinct facts of a segment
    ways      names the chains at both ends of every route

The chain id in a client state is a claim of the client's creator. Packets with events from both chains
(`pairing.py`) are stronger evidence; rows are never joined because of a claim.
"""
