import pytest

from conformance.case import run_files
from conformance.vectors import ibc_go_transfer

NATIVE = ["", "", "", "", "atom"]
HERE = ["", "", "transfer", "channel-0", "atom"]


def packet(denom, receiver="b", source="channel-9", dest="channel-0"):
    data = {"sender": "a", "receiver": receiver, "amount": "2", "denom": denom}
    ends = {"sourcePort": "transfer", "sourceChannel": source, "destPort": "transfer", "destChannel": dest}
    return ends | {"data": data}


def balance(holder, denom, amount):
    return {"address": ["", "", holder], "denom": denom, "amount": amount}


def case(handler, model, after, before=(), *, error=False):
    return {
        "handler": handler,
        "packet": model,
        "bankBefore": list(before),
        "bankAfter": list(after),
        "error": error,
    }


RECEIVED = case("OnRecvPacket", packet(NATIVE), [balance("b", HERE, 2)])


@pytest.mark.parametrize(
    ("changed", "passed"),
    [
        ({}, True),
        ({"bankAfter": [balance("b", HERE, 1)]}, False),
        ({"bankAfter": [balance("c", HERE, 2)]}, False),
        ({"bankAfter": []}, False),
        ({"error": True}, False),
        ({"handler": "OnFire"}, False),
        ({"packet": packet(["", "", "", "", ""]), "error": True}, True),
        ({"packet": packet(["", "", "", "", ""])}, False),
        ({"packet": packet(NATIVE, dest="")}, False),
    ],
)
def test_a_packet_received(family, verdicts, changed, passed):
    assert verdicts(run_files(family("ibc-go", T=[RECEIVED | changed]), ibc_go_transfer.cases_of)) == [passed]


def test_cases_of_a_file_follow_each_other(family, verdicts):
    back = packet(HERE, receiver="c", source="channel-1", dest="channel-0")
    back["data"]["sender"] = "b"
    escrow = {"address": ["transfer", "channel-1", ""], "denom": HERE, "amount": 2}
    before = [balance("b", HERE, 2)]
    sent = case("SendTransfer", back, [balance("b", HERE, 0), escrow], before)
    back_again = case("OnTimeoutPacket", back, before, [escrow])
    refused = case("OnTimeoutPacket", back, [], error=True)  # nothing is left in escrow
    answered = case("OnRecvAcknowledgementResult", back, [])
    folder = family("ibc-go", T=[RECEIVED, sent, back_again, refused, answered])
    assert verdicts(run_files(folder, ibc_go_transfer.cases_of)) == [True] * 5


@pytest.mark.parametrize(
    ("handler", "passed"),
    [
        ("OnRecvAcknowledgementResult", True),
        ("OnRecvAcknowledgementError", False),
        ("OnTimeoutPacket", False),
    ],
)
def test_a_success_is_not_looked_at_whatever_the_coin(family, verdicts, handler, passed):
    blank = packet(["", "channel-0", "channel-1", "channel-1", ""])
    assert verdicts(run_files(family("ibc-go", T=[case(handler, blank, [])]), ibc_go_transfer.cases_of)) == [
        passed
    ]


def test_burned_vouchers_come_back_with_an_error_acknowledgement(family, verdicts):
    home = packet(HERE, source="channel-0", dest="channel-9")
    home["data"]["sender"] = "b"
    sent = case("SendTransfer", home, [balance("b", HERE, 0)], [balance("b", HERE, 2)])
    refunded = case("OnRecvAcknowledgementError", home, [balance("b", HERE, 2)])
    assert (
        verdicts(run_files(family("ibc-go", T=[RECEIVED, sent, refunded]), ibc_go_transfer.cases_of))
        == [True] * 3
    )
