"""Actions for errors of nodes, of CheckTx, in blocks, and of the relayer itself."""

import re
from pathlib import Path

import pytest

from pyibc.core.errors import (
    ChannelNotFound,
    ClientFrozen,
    ClientNotActive,
    DelayPeriodNotPassed,
    HeaderFromFuture,
    InsufficientFee,
    InvalidPacket,
    OutOfGas,
    RedundantTx,
    TxTooLarge,
    WrongSequence,
)
from pyibc.core.host.block import TxOutcome
from pyibc.relayer.errors import (
    ClientUnusable,
    EndpointRefused,
    EndpointUnavailable,
    MalformedAnswer,
    TransactionFailed,
    WrongCounterparty,
)
from pyibc.relayer.links.outcomes import (
    ANSWERS,
    CODES,
    TEXTS,
    Action,
    action_of,
    in_mempool_terms,
    is_of_first,
)

EVENTS = (("tx", (("fee", "1stake"),)),)


def failed(codespace: str, code: int, log: str = "", events=()) -> TxOutcome:
    return TxOutcome(b"", code, codespace, events, 0, 0, b"", log)


@pytest.mark.parametrize(
    ("error", "action"),
    [
        (RedundantTx(), Action.DONE),
        (WrongSequence(7, 6), Action.SEQUENCE),
        (InsufficientFee("1stake", "2stake"), Action.ACCOUNT),
        (OutOfGas(100), Action.MORE_GAS),
        (TxTooLarge(9, 8), Action.SHRINK),
        (HeaderFromFuture(9, 1, 2), Action.CLOCK),
        (ClientFrozen("07-tendermint-0"), Action.STOP_PATH),
        (ClientNotActive("07-tendermint-0", "Expired"), Action.STOP_PATH),
        (ChannelNotFound("port", "channel-0"), Action.STOP_PATH),
        (InvalidPacket("odd"), Action.SKIP_PACKET),
    ],
)
def test_our_chains_errors(error, action) -> None:
    assert action_of(error) is action
    assert action_of(failed(error.codespace, error.code, str(error))) is action


def test_every_code_of_the_table_is_one_that_some_chain_has() -> None:
    for codespace, code in CODES:
        assert re.fullmatch(r"[a-z0-9-]+", codespace)
        assert code > 0
    assert CODES[DelayPeriodNotPassed.codespace, DelayPeriodNotPassed.code].action is Action.WAIT


# Texts of CometBFT 0.38.26, Cosmos SDK 0.53.8 and ibc-go 10.7, as `simd` gives them.
@pytest.mark.parametrize(
    ("reason", "action"),
    [
        ("Internal error tx already exists in cache", Action.DONE),
        ("Internal error mempool is full: number of txs 5000 (max: 5000), total txs bytes 1", Action.WAIT),
        ("mempool is still rechecking after a new committed block, so it is considered as full", Action.WAIT),
        ("Internal error Tx too large. Max size is 1048576, but got 2097152", Action.SHRINK),
        ("Internal error tx size is too big: 1048590, max: 22020", Action.SHRINK),
        ("Invalid Request error reading request body: http: request body too large", Action.SHRINK),
        ("gas wanted 90 is greater than max gas 10", Action.SHRINK),
        ("height 12 must be less than or equal to the current blockchain height 11", Action.OTHER_BACKEND),
        ("26 cannot query with height in the future; please provide a valid height", Action.OTHER_BACKEND),
        ("Internal error height 1 is not available, lowest height is 900", Action.OTHER_BACKEND),
        ("18 proof is unexpectedly empty; ensure height has not been pruned", Action.OTHER_BACKEND),
        ("version does not exist", Action.OTHER_BACKEND),
        ("Internal error could not find results for height #7", Action.OTHER_BACKEND),
        ("6 unknown query path: unknown request", Action.STOP_PATH),
        ("anything else", Action.OTHER_BACKEND),
    ],
)
def test_a_node_s_refusals(reason, action) -> None:
    assert action_of(EndpointRefused("n-1", "m", reason)) is action


@pytest.mark.parametrize(
    ("error", "action"),
    [
        (EndpointUnavailable("n-1", "down"), Action.RETRY),
        (MalformedAnswer("n-1", "block", "odd"), Action.OTHER_BACKEND),
        (ClientUnusable("n-1", "07-tendermint-0", "frozen"), Action.STOP_PATH),
        (WrongCounterparty("n-1", "channel-0", "odd"), Action.STOP_PATH),
        (TransactionFailed("n-1", "our transactions", "sdk/5", "insufficient funds"), Action.ACCOUNT),
        (TransactionFailed("n-1", "the update of x", "cometbft/2", "from the future"), Action.CLOCK),
        (TransactionFailed("n-1", "the update of x", "/", ""), Action.SKIP_PACKET),
    ],
)
def test_the_relayer_s_own_errors(error, action) -> None:
    assert action_of(error) is action


def test_ibc_go_s_header_from_the_future_has_a_text_alone() -> None:
    log = (
        "failed to execute message; message index: 0: failed to verify header: invalid header: new header "
        "has a time from the future 2026-11-21 08:25:40 +0000 UTC (now: 2026-11-21 08:24:40 +0000 UTC; max "
        "clock drift: 40s)"
    )
    assert action_of(failed("undefined", 1, log)) is Action.CLOCK
    assert action_of(failed("wasm", 5, log)) is Action.SKIP_PACKET
    assert is_of_first(failed("undefined", 1, log))
    assert not is_of_first(failed("undefined", 1, log.replace("index: 0", "index: 10")))


OF_ACCOUNT = {
    "sdk": (4, 5, 7, 8, 9, 10, 12, 13, 14, 15, 24, 28, 29, 31, 38),
    "feegrant": (2, 3, 4, 5, 6, 7),
    "feemarket": (1, 2, 3),
    "txfees": (2, 3),
}
OF_PACKET = {
    "sdk": (2, 6, 16, 17, 18, 22, 23, 25, 26, 27, 30, 33, 34, 35, 36, 37, 40, 42),
    "undefined": (1, 111222),
    "authz": (2, 3, 4, 5, 6, 7, 9, 12),
    "bank": (2, 3, 4, 5, 6, 7, 8, 9),
}
OF_OTHERS = {3, 11, 19, 20, 21, 32, 39, 41}  # of the sequence, gas, mempool and node


@pytest.mark.parametrize(
    ("codespace", "code", "log"),
    [
        *((space, code, "refused") for space, codes in OF_ACCOUNT.items() for code in codes),
        ("sdk", 2, "hrp does not match bech32 prefix: expected 'osmo' got 'cosmos': tx parse error"),
        ("sdk", 2, "unable to resolve type URL /ethermint.crypto.v1.ethsecp256k1.PubKey: tx parse error"),
        ("sdk", 18, "fee grants are not enabled: invalid request"),
    ],
)
def test_a_refusal_of_the_account_blames_no_packet(codespace, code, log) -> None:
    assert action_of(failed(codespace, code, log)) is Action.ACCOUNT
    of_message = f"failed to execute message; message index: 3: {log}"
    assert action_of(failed(codespace, code, of_message)) is Action.SKIP_PACKET
    assert action_of(failed(codespace, code, log, EVENTS)) is Action.SKIP_PACKET


def test_every_code_of_the_sdk_is_decided() -> None:
    assert sorted([*OF_ACCOUNT["sdk"], *OF_PACKET["sdk"], *OF_OTHERS]) == list(range(2, 43))
    page = (Path(__file__).parents[5] / "docs/relayer-errors.md").read_text(encoding="utf-8")
    for codespace, codes in OF_PACKET.items():
        for code in codes:
            assert action_of(failed(codespace, code, "refused")) is Action.SKIP_PACKET
            assert f"`{codespace}/{code}`" in page


def test_a_node_that_cannot_read_its_state_blames_no_packet() -> None:
    assert action_of(failed("sdk", 39, "leveldb: closed: internal IO error")) is Action.WAIT


@pytest.mark.parametrize("code", [4, 5, 9, 13, 20, 21, 32, 41])
def test_h140_a_packet_cannot_speak_for_the_account_or_the_mempool(code) -> None:
    """A contract may fail with any code of the SDK; none stops the relayer or lowers its limits."""
    assert action_of(failed("sdk", code)) is not Action.SKIP_PACKET
    of_message = "failed to execute message; message index: 3: account sequence mismatch"
    assert action_of(failed("sdk", code, of_message)) is Action.SKIP_PACKET
    for callback in ("acknowledge packet callback", "timeout packet callback", "timeout on close callback"):
        of_callback = f"{callback} failed: unable to unescrow tokens: insufficient funds"
        assert action_of(failed("sdk", code, of_callback)) is Action.SKIP_PACKET
    assert action_of(failed("sdk", code, "mempool is full", EVENTS)) is Action.SKIP_PACKET
    assert action_of(failed("sdk", 18, "mempool is full", EVENTS)) is Action.SKIP_PACKET
    assert action_of(failed("wasm", code, "mempool is full")) is Action.SKIP_PACKET


def test_refused_broadcasts_in_the_codes_of_the_sdk() -> None:
    found = [in_mempool_terms(EndpointRefused("n-1", "broadcast_tx_sync", text)) for text, _ in ANSWERS[:6]]
    assert found == [("sdk", 19), ("sdk", 20), ("sdk", 20), ("sdk", 21), ("sdk", 21), ("sdk", 21)]
    assert in_mempool_terms(EndpointRefused("n-1", "broadcast_tx_sync", "EOF")) is None


def test_the_page_has_every_row() -> None:
    page = (Path(__file__).parents[5] / "docs/relayer-errors.md").read_text(encoding="utf-8")
    lines = page.splitlines()
    for (codespace, code), rule in CODES.items():
        before = "before" if rule.ante else ""
        assert f"| `{codespace}/{code}` | {rule.action.value} | {rule.meaning} | {before} |" in lines
    for text, rule in TEXTS:
        before = "before" if rule.ante else ""
        assert f"| `{text}` | {rule.action.value} | {rule.meaning} | {before} |" in lines
    for text, rule in ANSWERS:
        assert f"| `{text}` | {rule.action.value} | {rule.meaning} |" in lines
    for action in Action:
        assert any(line.startswith(f"| {action.value} | ") for line in lines), action
