"""The test kit: two chains in one process, messages made by hand, and what one message does to a chain.

    pair = Pair.connected(("alpha-1", "beta-1"))     two chains, clients of each other, an open connection
    path = pair.open("mock", Order.ORDERED, "mock-version")
    packet = pair.a.send(path.a, path.b, b"data")    from inside a block, as an application does
    pair.sync()                                      each client learns the other chain's last state
    message = pair.b_messages.recv(packet)           proven and unsigned, to be spoilt by a test
    Stage(pair.b.chain).attempt(message)             what it does to the next block, never committed
    pair.b.submit(message)                           the same in a signed transaction in a block

`ScriptedApp` is an application that does what a test tells it to.
"""
