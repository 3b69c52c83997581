"""Attributes of packet events, as chains emit them."""


def attributes(sequence, src, dst, *, until=10**18, **more):
    """Return attributes by name; an end is a port and a channel, or a channel of the port `transfer`."""
    found = {"packet_sequence": str(sequence)}
    found |= {"packet_timeout_height": "0-0", "packet_timeout_timestamp": str(until)}
    for side, end in (("src", src), ("dst", dst)):
        port, channel = ("transfer", end) if isinstance(end, str) else end
        found |= {f"packet_{side}_port": port, f"packet_{side}_channel": channel}
    return found | more
