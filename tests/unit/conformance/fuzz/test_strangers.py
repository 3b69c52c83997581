"""What nobody has signed is refused for few lines of Python a byte, and a block of it is read to its end.

Lines are counted: those of a loop over the bytes of a number take 20 ns each, most others 50. Without limits
it was ten and more a byte.
"""

import pytest

from conformance.fuzz import endurance
from conformance.fuzz.case import Case, open_attack
from conformance.fuzz.count import counting
from conformance.fuzz.everything import all_cases

SIZE = 60_000
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
)


@pytest.fixture(scope="module")
def cases(made):
    found = {case.name: case for case in all_cases(made)}
    return {name: found[name] for name in WORST}


@pytest.mark.parametrize("name", WORST)
def test_the_door_costs_few_lines_a_byte(cases, name):
    cases[name].prepare(SIZE // 2).door()  # what is made once, and kept, is made now
    attack = cases[name].prepare(SIZE)
    with counting() as counter:
        attack.door()
    assert counter.lines / attack.size <= LINES_A_BYTE


def test_a_block_of_the_worst_is_read_to_its_end(cases):
    verdicts = []

    def noted(case):
        def prepare(size):
            attack = case.prepare(size // 50)
            return open_attack(attack.size, lambda: verdicts.append(attack.run()) or verdicts[-1])

        return Case(case.name, prepare)

    read = endurance.block([noted(case) for case in cases.values()], 260_000)

    assert read.size >= 260_000
    assert len(verdicts) >= len(WORST)
    assert not [each for each in verdicts if each == "ok"]
