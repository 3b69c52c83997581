"""What nobody has signed is refused for few lines of Python a byte, and a block of it is finalized.

Lines are counted: those of a loop over the bytes of a number take 20 ns each, most others 50. Without limits
it was ten and more a byte.
"""

import pytest

from conformance.fuzz.all_cases import all_cases
from conformance.fuzz.count import counting
from conformance.fuzz.full_block import block_cases, full_block
from conformance.fuzz.worlds import pending

SIZE = 30_000
LINES_A_BYTE = 4

HEADER = "client.v1.MsgUpdateClient client_message(tendermint.Header)"
WORST = (
    "signed auth_info fee.amount: empty again and again",
    "signed auth_info signer_infos: empty again and again",
    "signed auth_info tip: empty again and again",
    "signed body memo: empty again and again",
    f"{HEADER}.signed_header.header: empty again and again",
    f"{HEADER}.validator_set.validators: empty again and again",
    f"{HEADER}.signed_header.commit.signatures: empty again and again",
    "channel.v1.MsgRecvPacket packet: empty again and again",
    "channel.v2.MsgSendPacket payloads: empty again and again",
    "channel.v1.MsgRecvPacket packet.sequence: largest",
    "pyibc.queue.v1.MsgHandleReceipt items: filled again and again",
    "fee of many coins",
    "header of many validators, all nil",
    "sets of secp256k1 that nobody signed",
    "votes of nobody",
    "many messages with fields again and again",
    "a message of as many fields as it pays for",
)


@pytest.fixture(scope="module")
def cases(made):
    found = {case.name: case for case in all_cases(made)}
    return {name: found[name] for name in WORST}


@pytest.mark.parametrize("name", WORST)
def test_the_door_costs_few_lines_a_byte(cases, name):
    cases[name].prepare(SIZE // 2).before_signatures()  # what is made once, and kept, is made now
    attack = cases[name].prepare(SIZE)
    with counting() as counter:
        attack.before_signatures()
    assert counter.lines / attack.size <= LINES_A_BYTE


FULL = (
    "channel.v1.MsgAcknowledgement passed over: many lists of lists",
    "channel.v1.MsgTimeout proof_unreceived.proofs.exist: empty again and again",
    "two sets of secp256k1 that nobody signed",
    "votes of nobody",
    "many messages with fields again and again",
)


@pytest.fixture(scope="module")
def full():
    """Cases of a chain before a block that may hold them all."""
    waiting = pending()
    found = {case.name: case for case in block_cases(waiting)}
    return waiting, [found[name] for name in FULL]


def test_a_block_of_the_worst_is_finalized_as_its_transactions_are(full):
    waiting, chosen = full
    app, size = waiting.last.chain.app, 150_000
    before = app.info()

    block = full_block(waiting, chosen, size, tx_bytes=size // 8)

    assert block.size >= size
    assert len(block.verdicts) >= len(FULL)
    assert block.agrees
    assert block.verdicts[:5] == ("channel/16", "commitment/2", "client/29", "client/29", "sdk/2")
    assert app.info() == before
