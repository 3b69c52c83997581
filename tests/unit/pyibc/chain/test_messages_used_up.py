"""A plugin's message that its execution changes is the same message whenever it is executed."""

from functools import partial

import msgspec
import pytest

from ibc_module import hookimpl
from ibc_module.json_message import json_message
from localnet.settings import Genesis
from pyibc.chain.app import HostApp
from pyibc.chain.config import HostConfig
from pyibc.core.address import AddressCodec
from pyibc.core.host.context import MessageRoute

EAT = "/test.Eat"


class Eat(msgspec.Struct):
    signer: str
    crumbs: list[int]


class Eating:
    """Notes what a message brings, and takes it out of the message; in CheckTx too."""

    @hookimpl
    def chain_stores(self):
        return ("eaten",)

    @hookimpl
    def chain_messages(self):
        def signers(message):
            return (AddressCodec("cosmos").decode(message.signer, "signer").raw,)

        # A route of its own: `json_route` refuses what can be changed.
        decode = partial(msgspec.json.decode, type=Eat)
        return {EAT: MessageRoute(decode, signers, self.eat, f"{EAT}Response")}

    @hookimpl
    def chain_check_tx(self, messages):
        for each in messages:
            each.message.crumbs.clear()

    def eat(self, ctx, msg):
        ctx.store("eaten").set(b"crumbs", bytes(msg.crumbs))
        msg.crumbs.clear()
        return b""


def started(genesis):
    app = HostApp(HostConfig("chain-1"), [Eating()])
    app.init_chain(genesis.time_ns, genesis.app_state)
    app.finalize_block(genesis.time_ns, [])
    app.commit()
    return app


BEFORE = {
    "nothing": lambda app, raw, time_ns: None,
    "CheckTx": lambda app, raw, time_ns: app.check_tx(raw),
    "CheckTx and a recheck": lambda app, raw, time_ns: (app.check_tx(raw), app.check_tx(raw, recheck=True)),
    "a simulation": lambda app, raw, time_ns: app.simulate(raw),
    "proposals": lambda app, raw, time_ns: (
        app.prepare_proposal([raw], 1 << 20, time_ns),
        app.process_proposal([raw], time_ns),
    ),
    "another round of consensus": lambda app, raw, time_ns: app.finalize_block(time_ns, [raw]),
}


@pytest.mark.parametrize("before", BEFORE)
def test_h84_a_message_that_is_used_up_is_whole_in_the_block(genesis: Genesis, sign, alice, before):
    raw = sign([json_message(EAT, Eat(alice.address.text, [1, 2, 3]))])
    app, time_ns = started(genesis), genesis.time_ns + 1
    BEFORE[before](app, raw, time_ns)
    final = app.finalize_block(time_ns, [raw])
    app.commit()
    assert [outcome.code for outcome in final.outcomes] == [0]
    assert app.query_context().store("eaten").get(b"crumbs") == bytes([1, 2, 3])
