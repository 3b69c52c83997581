"""The parts of the host: in their order, replaced in their place, left out."""

import pytest

from ibc_module import hookimpl
from pyibc.apps.transfer.messages import MsgUpdateTransferParams
from pyibc.chain import FeesStep, HostApp, HostConfig, LeaveOut
from pyibc.chain.parts import STANDARD, with_parts
from pyibc.chain.queries.tx_service import SIMULATE
from pyibc.core.errors import InsufficientFee, UnknownRequest
from pyibc.core.wire.message import pack_msg
from pyibc.host import WiringError
from pyibc.testing import ibc_plugins, two_chains


class OwnFees:
    """Asks three coins of everybody, in the step of the host's name or another."""

    replaces = ("fees",)

    @hookimpl
    def chain_ante(self):
        return {"own fees": OwnFeesStep}


class OwnFeesStep(FeesStep):
    def run(self, ctx, checked, mode):
        if sum(coin.amount for coin in checked.tx.fee.amount) < 3:
            raise InsufficientFee("0stake", "3stake")
        super().run(ctx, checked, mode)


def test_without_plugins_a_chain_has_all_parts_in_order():
    assert [type(part) for part in with_parts([])] == list(STANDARD.values())


def test_a_part_is_replaced_in_its_place():
    own = OwnFees()
    parts = with_parts([*ibc_plugins(), own])
    assert parts.index(own) == list(STANDARD).index("fees")
    assert parts.count(own) == 1
    chains = two_chains(plugins=lambda: [*ibc_plugins(), OwnFees()])
    sent = chains.a.execute("alice", _update(chains))
    assert (sent.codespace, sent.code) == (InsufficientFee.codespace, InsufficientFee.code)
    assert chains.a.chain.app.accounts.get(chains.a.chain.app.query_context(), _raw(chains)).sequence == 0
    chains.close()


def test_a_part_is_left_out():
    app = HostApp(HostConfig("part-1"), [*ibc_plugins(), LeaveOut("simulation", "fees")])
    assert SIMULATE not in app.grpc_paths()
    with pytest.raises(UnknownRequest):
        app.grpc(SIMULATE, b"")
    assert SIMULATE in HostApp(HostConfig("part-1"), ibc_plugins()).grpc_paths()


@pytest.mark.parametrize("name", ["limits", "signatures"])
def test_what_protects_the_chain_cannot_be_left_out(name):
    with pytest.raises(WiringError, match=f"the part '{name}' protects the chain"):
        LeaveOut("fees", name)


def test_an_unknown_part_is_refused_with_the_names_of_all():
    with pytest.raises(WiringError, match="replaces 'fee': the parts are limits, fees, signatures"):
        HostApp(HostConfig("part-1"), [LeaveOut("fee")])


def test_two_plugins_cannot_replace_one_part():
    with pytest.raises(WiringError, match=r"OwnFees and .*LeaveOut replace 'fees'"):
        HostApp(HostConfig("part-1"), [LeaveOut("fees"), OwnFees()])


def test_messages_cannot_ask_what_differs_between_nodes():
    app = HostApp(HostConfig("part-1"), ibc_plugins())
    assert SIMULATE not in app.pipeline.queries()


def _update(chains):
    return pack_msg(MsgUpdateTransferParams(True, True, chains.a.address("alice")))


def _raw(chains):
    return chains.a.users["alice"].address.raw
