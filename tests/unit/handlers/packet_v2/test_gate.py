"""IBC v2: an application sends and answers payloads of its own ports, and of nobody else's."""

from types import SimpleNamespace

import pytest

from handlers.keepers_ref import KeepersRef
from handlers.packet_v2.sender import CoreSenderV2, PortGateV2
from pyibc.core.application.services import PortOwner
from pyibc.core.errors import LogicFault, NotPortOwner


@pytest.fixture
def gate(chain):
    """Holds port `one` of the two."""
    ref = KeepersRef()
    ref.bind(chain.keepers)
    return PortGateV2(CoreSenderV2(ref), PortOwner("plugin", "one"), ref)


def refused(chain, call, error):
    before = chain.state()
    raised = None
    try:
        call()
    except Exception as caught:
        raised = caught
    assert type(raised) is error
    assert chain.state() == before
    assert chain.ctx.events == []
    return raised


def test_it_sends_from_no_other(chain, gate, kit):
    for payloads in ((kit.payload("two"),), (kit.payload("one"), kit.payload("two"))):
        error = refused(
            chain,
            lambda sent=payloads: gate.send_packet(chain.ctx, kit.OURS, kit.NOW_S + 100, sent, chain.alice),
            NotPortOwner,
        )
        assert error.port_id == "two"


def test_a_payload_of_another_class_is_none(chain, gate, kit):
    lying = SimpleNamespace(port_id_on_a="one", value=b"x")
    refused(
        chain,
        lambda: gate.send_packet(chain.ctx, kit.OURS, kit.NOW_S + 100, (lying,), chain.alice),
        NotPortOwner,
    )


def test_it_answers_nothing_that_came_to_another(chain, gate, kit):
    theirs = kit.incoming(payloads=(kit.payload("two"),))
    chain.keepers.v2.packets.set_receipt(chain.ctx, theirs)
    chain.keepers.v2.packets.set_async_packet(chain.ctx, theirs)
    chain.ctx.take_events()
    error = refused(
        chain, lambda: gate.write_acknowledgement(chain.ctx, kit.OURS, 3, (b"yes",)), NotPortOwner
    )
    assert error.port_id == "two"


@pytest.mark.parametrize("name", [("client", 3.0), (b"client", 3), ("client", True)])
def test_names_of_other_types_are_refused(chain, gate, name):
    refused(chain, lambda: gate.write_acknowledgement(chain.ctx, *name, (b"yes",)), NotPortOwner)


@pytest.mark.parametrize("number", [-1, 2**64])
def test_h244_times_and_sequences_that_no_field_holds_are_refused(chain, gate, kit, number):
    payloads = (kit.payload("one"),)
    refused(chain, lambda: gate.send_packet(chain.ctx, kit.OURS, number, payloads, chain.alice), LogicFault)
    refused(chain, lambda: gate.write_acknowledgement(chain.ctx, kit.OURS, number, (b"yes",)), LogicFault)


def test_a_packet_before_wiring_is_a_bug(chain, kit):
    with pytest.raises(LogicFault):
        CoreSenderV2(KeepersRef()).send_packet(chain.ctx, kit.OURS, 1, (), chain.alice)
