"""One verdict on a failed simulation, whatever release of the SDK tells it."""

import pytest

from pyibc.core.errors import (
    ClientFrozen,
    ClientNotActive,
    DelayPeriodNotPassed,
    HeaderExpired,
    HeaderFromFuture,
    InsufficientFee,
    NotEnoughTrust,
    OutOfGas,
    WrongSequence,
)
from pyibc.queues.errors import AdvanceBelowHead, NoSuchPacket, OutOfOrder
from pyibc.relayer.chain.simulation import CODESPACE, failure_of, message_of
from pyibc.relayer.links.outcomes import Action, action_of

OF_MESSAGE = "failed to execute message; message index: 1: "
RPC = "c-1: /cosmos.tx.v1beta1.Service/Simulate: 6 rpc error: code = Unknown desc = "


def sdk_0_42(error):
    return f"c-1: /cosmos.tx.v1beta1.Service/Simulate: 18 {error}: invalid request"


def sdk_0_45(error):
    return f"{RPC}{error} With gas wanted: '0' and gas used: '42967' : unknown request"


def sdk_0_46(error):
    where = "[celestiaorg/cosmos-sdk@v1.18.3-sdk-v0.46.14/x/auth/ante/sigverify.go:269]"
    most = 2**64 - 1
    return f"{RPC}{error} {where} With gas wanted: '{most}' and gas used: '70000' : unknown request"


def sdk_0_47_by_grpc(error):
    where = "[cosmos/cosmos-sdk@v0.47.13/x/auth/ante/sigverify.go:269]"
    return f"rpc error: code = Unknown desc = {error} {where} With gas wanted: '0' and gas used: '7' "


def sdk_0_50(error):
    where = "[cosmos/cosmos-sdk@v0.50.11/x/auth/ante/sigverify.go:290]"
    return f"{RPC}{error} {where} with gas used: '42967': unknown request"


def sdk_0_53_by_rest(error):
    return f'{{"code":2,"message":"{error} with gas used: \'42967\'","details":[]}}'


SDKS = [sdk_0_42, sdk_0_45, sdk_0_46, sdk_0_47_by_grpc, sdk_0_50, sdk_0_53_by_rest]

FAILURES = [
    (str(WrongSequence(12, 9)), WrongSequence),
    (str(NotEnoughTrust(5, 6)), NotEnoughTrust),
    (str(HeaderFromFuture(5, 6, 7)), HeaderFromFuture),
    (str(HeaderExpired(5, 6)), HeaderExpired),
    (
        "new header has a time from the future 2026-01-02 (now: 2026-01-01; max clock drift: 1s)",
        HeaderFromFuture,
    ),
    ("failed to verify header: old header has expired at 2026-01-02 (now: 2026-02-02)", HeaderExpired),
    ("until 5, current 4: packet-specified delay period has not been reached", DelayPeriodNotPassed),
    (str(DelayPeriodNotPassed("block 7", "block 6")), DelayPeriodNotPassed),
    (str(ClientNotActive("07-tendermint-3", "Frozen")), ClientNotActive),
    (
        "cannot update client (07-tendermint-3) with status Expired: client state is not active",
        ClientNotActive,
    ),
    ("client (07-tendermint-3) status is Frozen: client state is not active", ClientNotActive),
    ("client-id: 07-tendermint-3: light client is frozen due to misbehaviour", ClientFrozen),
    ("out of gas in location: ReadFlat; gasWanted: 100, gasUsed: 101: out of gas", OutOfGas),
    (str(OutOfGas(100, 101)), OutOfGas),
    (str(OutOfOrder(5, 7)), OutOfOrder),
    (str(NoSuchPacket(5)), NoSuchPacket),
    (str(AdvanceBelowHead(6, 5)), AdvanceBelowHead),
]
"""Errors with an action of their own, and the errors whose codes they get."""


@pytest.mark.parametrize("added", SDKS)
@pytest.mark.parametrize(("text", "kind"), FAILURES)
def test_a_failure_has_one_verdict_whatever_the_sdk(added, text, kind):
    texts = [text] if kind is WrongSequence else [text, OF_MESSAGE + text]
    for each in texts:
        failure = failure_of(added(each))
        assert failure is not None
        assert (failure.codespace, failure.code) == (kind.codespace, kind.code)


@pytest.mark.parametrize("added", SDKS)
def test_other_failures_of_a_message_are_of_its_packet(added):
    failure = failure_of(added(f"{OF_MESSAGE}packet timed out: invalid packet"))
    assert failure is not None
    assert (failure.codespace, failure.code) == (CODESPACE, 1)
    assert action_of(failure) is Action.SKIP_PACKET


@pytest.mark.parametrize("added", SDKS)
def test_a_fee_that_is_too_low_for_the_draft_is_no_failure(added):
    """A draft pays one unit; CheckTx judges the real fee."""
    text = str(InsufficientFee("1stake", "9stake"))
    assert failure_of(added(text)) is None
    of_message = failure_of(added(OF_MESSAGE + text))
    assert action_of(of_message) is Action.SKIP_PACKET


OF_ACCOUNT = [
    "spendable balance  is smaller than 1stake: insufficient funds: insufficient funds",
    "account cosmos1ab does not exist: unknown address",
    "fee payer address: cosmos1ab does not exist: unknown address",
    "maximum number of characters is 256 but received 300 characters: memo too large",
    "cosmos1ab does not allow to pay fees for cosmos1cd: fee allowance expired",
    "cosmos1ab not allowed to pay fees from cosmos1cd: fee-grant not found: unauthorized",
    "cosmos1ab does not allow to pay fees for cosmos1cd: fee-grant not found: not found",
    "cosmos1ab does not allow to pay fees for cosmos1cd: not among allowed messages: message not allowed",
    "fee grants are not enabled: invalid request",
    "hrp does not match bech32 prefix: expected 'osmo' got 'cosmos': tx parse error",
    "invalid Bech32 prefix; expected osmo, got cosmos: invalid address",
    "unable to resolve type URL /ethermint.crypto.v1.ethsecp256k1.PubKey: tx parse error",
]


@pytest.mark.parametrize("added", SDKS)
@pytest.mark.parametrize("text", OF_ACCOUNT)
def test_what_the_ante_handler_refuses_is_the_account_s(added, text):
    assert action_of(failure_of(added(text))) is Action.ACCOUNT
    assert action_of(failure_of(added(OF_MESSAGE + text))) is Action.SKIP_PACKET


@pytest.mark.parametrize("text", ["6 unknown query path: unknown request", "unknown service x", "EOF", ""])
def test_a_refused_query_is_no_failure(text):
    assert failure_of(text) is None


@pytest.mark.parametrize("form", [sdk_0_42, sdk_0_45, sdk_0_46, sdk_0_47_by_grpc, sdk_0_50])
@pytest.mark.parametrize("before", ["", OF_MESSAGE])
def test_users_see_the_error_of_the_chain_alone(form, before):
    said = message_of("not sent, simulation failed: " + form(before + "channel-9: channel not found"))
    assert said == "channel-9: channel not found"


def test_a_log_that_is_nothing_but_additions_is_shown_as_it_is():
    assert message_of(" with gas used: '7'") == " with gas used: '7'"
