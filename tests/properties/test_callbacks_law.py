"""H175, H179: whatever contracts do, packets live and coins lie as a model without them says."""

import json
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.kit.callback_net import CallbackNet
from pyibc.core.errors import InvalidRequest
from pyibc.testing.ledger import broken_laws, channel_view
from tests.sampling import rounds


def refuse(_):
    raise InvalidRequest("no")


def bug(_):
    raise KeyError


def spend(ctx):
    ctx.gas.consume(ctx.gas.remaining + 1)


def spend_and_go_on(ctx):
    with suppress(Exception):
        ctx.gas.consume(ctx.gas.remaining + 1)


def too_deep(_):
    def down(levels):
        return levels and down(levels - 1)

    down(1_000)


def too_deep_and_go_on(ctx):
    with suppress(BaseException):
        too_deep(ctx)


def others_store(ctx):
    ctx.store("transfer").set(b"x", b"y")


def loud(ctx):
    for _ in range(2_000):
        ctx.emit(("loud", ()))


def undo(ctx):
    with ctx.branch() as branch:
        ctx.store("notes").set(b"x", b"y")
        branch.discard()


def generator_exit(_):
    raise GeneratorExit


FAIL = [refuse, bug, spend, spend_and_go_on, too_deep, too_deep_and_go_on, others_store, loud, generator_exit]
ACTS = [lambda _: None, undo, *FAIL]


def act(ctx, told):
    """What the packet says: its call data has a number for each occasion."""
    at = {"SourceSent": 0, "SourceAcknowledged": 1, "SourceTimedOut": 1, "DestinationReceived": 0}
    ACTS[told.asked.calldata[at[type(told).__name__]]](ctx)


choices = st.integers(0, len(ACTS) - 1)
packets = st.fixed_dictionaries({
    "version": st.sampled_from([1, 2]),
    "source": st.none() | st.tuples(choices, choices),
    "destination": st.none() | choices,
    "late": st.booleans(),
    "gas": st.sampled_from(["", "60000", "500"]),  # the last is less than it takes to note the call
})  # fmt: skip


def memo(packet):
    asked = {}
    if packet["source"] is not None:
        asked["src_callback"] = {"calldata": bytes(packet["source"]).hex()}
    if packet["destination"] is not None:
        asked["dest_callback"] = {"calldata": bytes([packet["destination"]]).hex()}
    for each in asked.values():
        each.update({"address": "bad", "gas_limit": packet["gas"]})
    return json.dumps(asked)


def fails(packet, number):
    return packet["gas"] == "500" or ACTS[number] in FAIL


@settings(max_examples=rounds(8, 20), deadline=None)
@given(st.lists(packets, min_size=1, max_size=8))
def test_h175_h179_coins_and_packets_are_where_a_model_has_them(sent):
    net = CallbackNet()
    net.bad["a"].act = net.bad["b"].act = act
    arrived, told = {1: 0, 2: 0}, dict.fromkeys(["SourceSent", "SourceAcknowledged", "SourceTimedOut"], 0)
    received = 0
    for packet in sent:
        source, destination = packet["source"], packet["destination"]
        outcome = net.send(packet["version"], memo(packet), seconds=30)
        refused = source is not None and fails(packet, source[0])
        assert (outcome.code != 0) == refused
        if refused:
            continue
        if packet["late"]:
            net.clock.advance(60 * 10**9)
            net.b.chain.make_block([])
        net.relay()
        if source is not None:
            told["SourceSent"] += 1
            kind = "SourceTimedOut" if packet["late"] else "SourceAcknowledged"
            told[kind] += not fails(packet, source[1])
        if not packet["late"] and (destination is None or not fails(packet, destination)):
            arrived[packet["version"]] += 5
            received += destination is not None
    for version, there in arrived.items():
        assert net.coins(version) == (-sum(arrived.values()), there, there, there)
    assert {kind: net.noted(net.a, "bad", kind) for kind in told} == told
    assert net.noted(net.b, "bad", "DestinationReceived") == received
    assert [net.in_flight(version) for version in arrived] == [0, 0]
    views = [channel_view(path, net.a.chain, net.b.chain) for path in (net.path, net.path_v2)]
    assert broken_laws(views) == []
    net.close()
