"""Callbacks on two chains, over channels (1) and clients (2): who is called when, and what comes of it."""

import json

import pytest

from conformance.kit.callback_net import CallbackNet, asks
from conformance.kit.contracts import STORE, ContractsPlugin, ScriptedContract
from conformance.kit.staged_block import StagedBlock
from ibc_module import hookimpl
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config
from localnet import endpoint
from pyibc.apps.callbacks.contract import ANY_ADDRESS, Contract
from pyibc.apps.callbacks.plugin import CallbacksPlugin
from pyibc.chain.accounts.keeper import Accounts
from pyibc.chain.bank.keeper import BankKeeper
from pyibc.chain.bank.plugin import BankPlugin
from pyibc.core.address import AddressCodec
from pyibc.core.errors import (
    CallbackAddressNotFound,
    InvalidAcknowledgementV2,
    InvalidCallbackData,
    InvalidRequest,
)
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet_v2.types import SENTINEL
from pyibc.core.setup_error import WiringError
from pyibc.default_plugins import plugins

VERSIONS = pytest.mark.parametrize("version", [1, 2])
SENT = (-5, 5, 0, 0)
ARRIVED = (-5, 5, 5, 5)
AS_BEFORE = (0, 0, 0, 0)


def refuse(_ctx, _told):
    raise InvalidRequest("the contract says no")


def bug(_ctx, _told):
    raise ZeroDivisionError


def spend(ctx, _told):
    ctx.gas.consume(ctx.gas.remaining + 1)


def too_deep(_ctx, _told):
    def down(levels):
        return levels and down(levels - 1)

    down(1_000)


def write_elsewhere(ctx, _told):
    ctx.ibc.set(b"anything", b"v")


FAILURES = pytest.mark.parametrize(
    ("version", "act"), [(1, refuse), (2, bug), (1, spend), (2, too_deep), (1, write_elsewhere)]
)


def of(events, kind):
    """The attributes of the one event of a kind."""
    found = [dict(attributes) for name, attributes in events if name == kind]
    assert len(found) == 1
    return found[0]


def fails_later(net, version, act, *, timeout=False):
    """A packet whose contract agrees to the send and fails afterwards."""
    assert net.send(version, asks("src", "bad"), seconds=30 if timeout else 600).code == 0
    net.bad["a"].act = act
    if timeout:
        net.clock.advance(60 * 10**9)
    net.relay()
    assert net.in_flight(version) == 0


@FAILURES
def test_h175_no_contract_holds_an_answer_or_a_timeout_up(net, version, act):
    fails_later(net, version, act)
    assert net.coins(version) == ARRIVED
    net.bad["a"].act = None
    fails_later(net, version, act, timeout=True)
    assert net.coins(version) == ARRIVED
    kinds = ("SourceSent", "SourceAcknowledged", "SourceTimedOut")
    assert [net.noted(net.a, "bad", kind) for kind in kinds] == [2, 0, 0]


# -- destination


@FAILURES
def test_a_destination_s_contract_may_refuse_a_packet(net, version, act):
    net.bad["b"].act = act
    assert net.send(version, asks("dest", "bad")).code == 0
    net.relay()
    assert net.noted(net.b, "bad", "DestinationReceived") == 0
    assert net.coins(version) == AS_BEFORE


@VERSIONS
def test_no_contract_hears_of_what_the_application_refused(net, version):
    assert net.send(version, asks("dest", "good"), receiver="nobody").code == 0
    net.relay()
    assert net.good["b"].seen == []


# -- what is asked for


@VERSIONS
def test_h177_a_malformed_callback_is_not_sent(net, version):
    refused = net.send(version, asks("src", "good", gas_limit=7))
    assert (refused.codespace, refused.code) == (InvalidCallbackData.codespace, InvalidCallbackData.code)
    assert net.coins(version) == AS_BEFORE


@VERSIONS
def test_h177_a_malformed_callback_is_not_received(net, version):
    assert net.send(version, asks("dest", "good", calldata="0")).code == 0
    net.relay()
    assert net.good["b"].seen == []
    assert net.coins(version) == AS_BEFORE


@VERSIONS
def test_nobody_has_the_address(net, version):
    refused = net.send(version, asks("src", "nobody's"))
    assert (refused.codespace, refused.code) == (
        CallbackAddressNotFound.codespace,
        CallbackAddressNotFound.code,
    )
    assert net.send(version, asks("dest", "nobody's")).code == 0
    net.relay()
    assert net.coins(version) == AS_BEFORE


@VERSIONS
def test_an_account_that_names_itself_is_not_asked_and_is_told_in_vain(net, version):
    """As every call of GMP does: an account with a key has no contract."""
    outcome = net.send(version, asks("src", net.a.address("alice")))
    assert outcome.code == 0
    assert not any("callback" in kind for kind, _ in outcome.events)
    net.relay()
    assert net.coins(version) == ARRIVED


# -- gas


@VERSIONS
def test_h176_a_stingy_relayer_cannot_make_a_contract_fail(net, version, monkeypatch):
    """With too little gas the packet stays as it is, and is brought again with more."""
    net.good["b"].act = lambda ctx, _: ctx.gas.consume(700_000)
    assert net.send(version, asks("dest", "good")).code == 0
    with monkeypatch.context() as stingy:
        stingy.setattr(endpoint, "GAS_PER_MESSAGE", 300_000)
        stingy.setattr(endpoint, "GAS_PER_BYTE", 0)
        net.pair.link(net.path, net.path_v2).until_idle()
    assert net.coins(version) == SENT
    assert net.in_flight(version) == 1
    assert net.noted(net.b, "good", "DestinationReceived") == 0
    net.relay()
    assert net.coins(version) == ARRIVED
    assert net.noted(net.b, "good", "DestinationReceived") == 1


@VERSIONS
def test_h176_a_contract_has_no_more_than_the_chain_gives(version):
    net = CallbackNet(max_gas=50_000)
    given = []
    net.good["a"].act = lambda ctx, _: given.append(ctx.gas.remaining)
    net.good["b"].act = lambda ctx, _: given.append(ctx.gas.remaining)
    both = {
        f"{key}_callback": {"address": "good", "gas_limit": "18446744073709551615"} for key in ("src", "dest")
    }
    assert net.send(version, json.dumps(both)).code == 0
    net.relay()
    assert len(given) >= 3  # the mempool tries relayers' messages too
    assert all(40_000 < gas < 50_000 for gas in given)
    net.close()


# -- answers that come late


def late(net, version, memo):
    """What answers the one packet that was put off."""
    put_off = net.put_off["b"]
    put_off.on = True
    assert net.send(version, memo).code == 0
    net.relay()
    put_off.on = False
    assert net.good["b"].seen == net.bad["b"].seen == []
    assert net.coins(version)[3] == 5
    sender = put_off.services_v2.sender_v2 if version == 2 else put_off.services.sender
    kept = (put_off.kept_v2 if version == 2 else put_off.kept)[-1]
    return lambda ctx: sender.write_acknowledgement(ctx, *kept)


@VERSIONS
def test_a_late_answer_calls_the_destination_s_contract(net, version):
    answer = late(net, version, asks("dest", "good"))
    here = StagedBlock(net.b.chain)
    attempt = here.call(answer)
    assert attempt.error is None
    (received,) = net.good["b"].seen
    assert received.acknowledgement == acks.success()
    assert (STORE, b"good/DestinationReceived") in attempt.writes
    assert of(attempt.events, "ibc_dest_callback")["callback_result"] == "success"


@FAILURES
def test_h175_no_contract_holds_a_late_answer_up(net, version, act):
    answer = late(net, version, asks("dest", "bad"))
    net.bad["b"].act = act
    attempt = StagedBlock(net.b.chain).call(answer)
    assert attempt.error is None
    assert all(store == "ibc" for store, _ in attempt.writes)
    told = of(attempt.events, "ibc_dest_callback")
    assert told["callback_result"] == "failure"
    assert [kind for kind, _ in attempt.events].count("write_acknowledgement") == 1


@VERSIONS
def test_a_late_answer_to_a_malformed_callback_is_refused(net, version):
    answer = late(net, version, asks("dest", " "))
    assert isinstance(StagedBlock(net.b.chain).call(answer).error, InvalidCallbackData)


@VERSIONS
def test_a_late_answer_to_who_asks_for_nothing(net, version):
    answer = late(net, version, "")
    attempt = StagedBlock(net.b.chain).call(answer)
    assert attempt.error is None
    assert not any("callback" in kind for kind, _ in attempt.events)


def test_no_packet_waits_for_a_late_answer(net):
    sender, end = net.put_off["b"].services_v2.sender_v2, net.path_v2.b
    attempt = StagedBlock(net.b.chain).call(
        lambda ctx: sender.write_acknowledgement(ctx, end.client_id, 99, (b"x",))
    )
    assert isinstance(attempt.error, InvalidAcknowledgementV2)


def test_a_late_refusal_is_told_too(net):
    late(net, 2, asks("dest", "good"))
    put_off = net.put_off["b"]
    (client, sequence, _), sender = put_off.kept_v2[0], put_off.services_v2.sender_v2
    attempt = StagedBlock(net.b.chain).call(
        lambda ctx: sender.write_acknowledgement(ctx, client, sequence, (SENTINEL,))
    )
    assert attempt.error is None
    assert net.good["b"].seen[0].acknowledgement == SENTINEL


# -- wiring


ADDRESSES = AddressCodec("cosmos")


def wired(*extra, callbacks=True):
    bank = BankPlugin(BankKeeper(Accounts(), ()), ADDRESSES)
    parts = [bank, *plugins(Config()), *([CallbacksPlugin()] if callbacks else []), *extra]
    return Pipeline(parts)


class Misspelt(ScriptedContract):
    def on_receive_packet(self, ctx):
        """Nobody calls it."""


@pytest.mark.parametrize(
    ("contracts", "said"),
    [
        ([{"x": Contract()}, {"x": Contract()}], "both register the contract 'x'"),
        ([{"": Contract()}], "which is not an address"),
        ([{" ": Contract()}], "which is not an address"),
        ([{7: Contract()}], "which is not an address"),
        (
            [{"x": Misspelt()}],
            "contract 'x': Misspelt.on_receive_packet is no callback, did you mean on_recv",
        ),
        ([{"x": object()}], "contract 'x': object has no on_send_packet; a subclass of Contract may leave"),
    ],
)
def test_contracts_that_cannot_be_wired(contracts, said):
    class Second(ContractsPlugin):
        @hookimpl
        def chain_stores(self):
            return ()

    plugins_of = [kind(each) for kind, each in zip((ContractsPlugin, Second), contracts, strict=False)]
    with pytest.raises(WiringError, match=said):
        wired(*plugins_of)


def test_a_contract_needs_the_callbacks_plugin():
    with pytest.raises(WiringError, match="unknown hook 'ibc_contracts'"):
        wired(ContractsPlugin({"x": Contract()}), callbacks=False)


def test_one_contract_may_have_all_other_addresses(net):
    assert ANY_ADDRESS == "*"
    assert net.send(1, asks("src", "*")).code == CallbackAddressNotFound.code


@pytest.mark.parametrize("ports", [(("a", "a"), ()), ((), ("a", "a"))])
def test_a_port_is_listed_once(ports):
    with pytest.raises(ValueError, match="listed twice"):
        CallbacksPlugin(*ports)


def test_two_ports_may_give_contracts_different_gas():
    contracts = ContractsPlugin({"x": Contract()})
    wired(
        CallbacksPlugin((), ("transfer",), max_gas=7),
        CallbacksPlugin(("transfer",), ()),
        contracts,
        callbacks=False,
    )


@pytest.mark.parametrize("gas", [0, -1])
def test_contracts_need_gas(gas):
    with pytest.raises(ValueError, match="max_gas must be at least 1"):
        CallbacksPlugin(max_gas=gas)
