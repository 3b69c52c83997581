"""What has broken other chains, tried on the packets of IBC v2; names begin as in docs/security.md."""

import pytest

from light_client.interface import ProofEffect
from pyibc.core import paths
from pyibc.core.application.v2 import PayloadAnswer
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ClientNotActive,
    InvalidAcknowledgementV2,
    OutOfGas,
    TimeoutElapsedV2,
    TimeoutNotReachedV2,
    Unauthorized,
)
from pyibc.core.host.context import prefix_end
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgRecvPacketV2, MsgTimeoutV2
from pyibc.core.packet_v2.types import SENTINEL
from pyibc.core.wire.message import encode_msg

NOOP, SUCCESS = b"\x08\x01", b"\x08\x02"


@pytest.fixture
def messages(chain, kit):
    """One good message of each kind; the chain has sent packet 3, and the other chain is past its timeout."""
    chain.keepers.v2.packets.commit(chain.ctx, kit.outgoing())
    chain.ctx.take_events()
    chain.client.time_s = kit.NOW_S + 100
    ours, theirs, signer = kit.outgoing(), kit.incoming(), chain.alice.text
    answer = MsgAcknowledgementV2(ours, (b"done",), kit.GOOD, kit.HEIGHT, signer)
    return {
        "recv": (
            MsgRecvPacketV2.TYPE_URL,
            encode_msg(MsgRecvPacketV2(theirs, kit.GOOD, kit.HEIGHT, signer)),
        ),
        "acknowledge": (MsgAcknowledgementV2.TYPE_URL, encode_msg(answer)),
        "timeout": (MsgTimeoutV2.TYPE_URL, encode_msg(MsgTimeoutV2(ours, kit.GOOD, kit.HEIGHT, signer))),
    }


CALLBACKS = ("recv", "acknowledge", "timeout")


@pytest.mark.parametrize("kind", CALLBACKS)
def test_a_proof_is_used_up_once_and_by_no_second_relayer(chain, kit, messages, kind):
    state = f"clients/{kit.OURS}/clientState".encode()
    for after, response in ((b"after one", SUCCESS), (b"after two", NOOP)):
        chain.client.effect = ProofEffect(kit.OURS, after)
        assert chain.deliver(*messages[kind])[0] == response
        assert chain.state()[0][state] == b"after one"


def key(kit, kind):
    return kit.OURS.encode() + kind + bytes(7) + b"\x03"


@pytest.mark.parametrize("kind", CALLBACKS)
def test_h5_reentrant_app_is_told_once(chain, messages, kind):
    """The same message from inside its own callback finds nothing left to do."""
    answers, calls = [], []
    route = chain.routes[messages[kind][0]]
    message = route.decode(messages[kind][1])

    def again(ctx):
        calls.append(kind)
        if len(calls) < 3:
            answers.append(route.deliver(ctx, message))
        return PayloadAnswer(success=True, data=b"done")

    chain.one.act[kind] = again
    assert chain.deliver(*messages[kind])[0] == SUCCESS
    assert answers == [NOOP]
    assert calls == [kind]


@pytest.mark.parametrize("kind", ["acknowledge", "timeout"])
def test_h5_the_commitment_is_gone_before_the_application_is_told(chain, kit, messages, kind):
    seen = []
    chain.one.act[kind] = lambda ctx: seen.append(ctx.ibc.get(key(kit, b"\x01")))
    chain.deliver(*messages[kind])
    assert seen == [None]


def test_h5_the_receipt_is_there_before_the_application_runs(chain, kit, messages):
    seen = []

    def note(ctx):
        seen.append(ctx.ibc.get(key(kit, b"\x02")))
        return PayloadAnswer(success=True, data=b"done")

    chain.one.act["recv"] = note
    chain.deliver(*messages["recv"])
    assert seen == [b"\x02"]


@pytest.mark.parametrize("kind", CALLBACKS)
def test_h41_what_a_failing_callback_wrote_is_undone_with_the_message(chain, messages, kind):
    chain.one.refusal = Unauthorized("x", "y")
    chain.refuses(Unauthorized, *messages[kind])


@pytest.mark.parametrize("kind", CALLBACKS)
@pytest.mark.parametrize("status", [Status.FROZEN, Status.EXPIRED, Status.UNKNOWN])
def test_h15_no_packet_moves_over_a_client_that_is_not_active(chain, messages, kind, status):
    chain.client.current = status
    assert chain.refuses(ClientNotActive, *messages[kind]).status == status.value


@pytest.mark.parametrize("limit", range(0, 40_000, 1_000))
def test_h15_running_out_of_gas_fails_the_transaction_and_never_answers_an_error(chain, messages, limit):
    before = chain.state()

    def hungry(ctx):
        ctx.gas.consume(5_000)
        return PayloadAnswer(success=True, data=b"done")

    chain.one.act["recv"] = hungry
    chain.ctx.gas.reset(limit)
    try:
        response, _ = chain.deliver(*messages["recv"])
    except OutOfGas:
        assert chain.state() == before
    else:
        assert response == SUCCESS


def test_h36_a_success_that_is_the_sentinel_is_no_answer(chain, messages):
    """Else chain A would refund what chain B has paid out."""
    chain.one.answer = PayloadAnswer(success=True, data=SENTINEL)
    chain.refuses(InvalidAcknowledgementV2, *messages["recv"])


@pytest.mark.parametrize("distance", [-1, 0, 1])
def test_h35_a_packet_is_received_or_refunded_never_both(chain, kit, messages, distance):
    """In seconds: receiving is late exactly from where a timeout is due."""
    limit = kit.NOW_S + distance
    packet = kit.incoming(timeout_s_on_b=limit)
    recv = MsgRecvPacketV2(packet, kit.GOOD, kit.HEIGHT, chain.alice.text)
    arrival = MsgRecvPacketV2.TYPE_URL, encode_msg(recv)
    chain.keepers.v2.packets.commit(chain.ctx, kit.outgoing(timeout_s_on_b=limit))
    chain.client.time_s = kit.NOW_S  # both chains' clocks stand at the same second
    late = MsgTimeoutV2(kit.outgoing(timeout_s_on_b=limit), kit.GOOD, kit.HEIGHT, chain.alice.text)
    refund = MsgTimeoutV2.TYPE_URL, encode_msg(late)
    if distance <= 0:
        chain.refuses(TimeoutElapsedV2, *arrival)
        assert chain.deliver(*refund)[0] == SUCCESS
    else:
        chain.refuses(TimeoutNotReachedV2, *refund)
        assert chain.deliver(*arrival)[0] == SUCCESS


NAMES = ["07-tendermint-1", "07-tendermint-10", "07-tendermint-100", "06-solomachine-1", "channel-1"]
KINDS = [
    paths.packet_commitment_v2_path,
    paths.packet_receipt_v2_path,
    paths.packet_acknowledgement_v2_path,
    paths.async_packet_path,
]


def test_h12a_no_key_of_one_client_is_below_another():
    """Whoever lists what begins with a client's name and a kind finds that client's alone."""
    keys = {(name, kind): [KINDS[kind](name, n) for n in SEQUENCES] for name in NAMES for kind in range(4)}
    for (name, kind), mine in keys.items():
        prefix = mine[0][:-8]
        others = [key for owner, theirs in keys.items() if owner != (name, kind) for key in theirs]
        assert not any(other.startswith(prefix) for other in others)
        assert not prefix.startswith((b"clients/", b"connections/", b"channelEnds/", b"nextSequence"))


SEQUENCES = [1, 0x2F, 0x2F2F, 0x2F00, 2**56 + 0x2F, 2**64 - 1]


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_h12b_a_sequence_with_a_slash_in_its_bytes_is_found_again(chain, kit, sequence):
    packet = kit.outgoing(sequence=sequence)
    chain.keepers.v2.packets.commit(chain.ctx, packet)
    assert chain.keepers.v2.packets.commitment(chain.ctx, packet)
    key = paths.packet_commitment_v2_path(kit.OURS, sequence)
    assert key[-8:] == sequence.to_bytes(8, "big")
    assert paths.split_packet_v2_path(key, key[-9:-8]) == (kit.OURS, sequence)
    found = [each for each, _ in chain.ctx.ibc.iterate(key[:-8], prefix_end(key[:-8]))]
    assert found == [key]
