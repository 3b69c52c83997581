"""The four steps of a connection's handshake: each good case, and every check as a row."""

from dataclasses import replace

import pytest

from conformance.kit.mutate_state import change_connection
from conformance.kit.refusal_rows import client_rows, connected_by, proof_rows, signer_rows
from conformance.kit.refusals import Row, check_row, expect_refusal, setting
from pyibc.core import paths
from pyibc.core.connection.types import ALLOWED, DEFAULT_VERSION, ConnectionState, Version
from pyibc.core.errors import (
    ClientNotActive,
    ClientRouteNotFound,
    ConnectionNotFound,
    InvalidClientType,
    InvalidConnectionCounterparty,
    InvalidConnectionIdentifier,
    InvalidConnectionState,
    InvalidConnectionVersion,
    InvalidIdentifier,
    InvalidProof,
    InvalidVersion,
    VersionNegotiationFailed,
)
from pyibc.core.numbers import MAX_U64

ORDERED_ONLY = Version("1", ("ORDER_ORDERED",))


class Step:
    """One message of the handshake: to whom, about which end, from which state."""

    def __init__(self, scene, name):
        self.name = name
        half = scene.connections
        on_a = name in {"open_init", "open_ack"}
        self.side = scene.a if on_a else scene.b
        self.stage = scene.stage(self.side)
        self.connection_id, self.message = {
            "open_init": lambda: ("", scene.to_a.connection_open_init()),
            "open_try": lambda: ("", scene.to_b.connection_open_try(half.init_on_a)),
            "open_ack": lambda: (half.tried[0], scene.to_a.connection_open_ack(*half.tried)),
            "open_confirm": lambda: (half.acked[1], scene.to_b.connection_open_confirm(*half.acked[::-1])),
        }[name]()

    def end(self, connection_id=None):
        return self.side.keepers.connections.get(self.stage.ctx, connection_id or self.connection_id)

    def next_id(self):
        raw = self.side.chain.get(paths.NEXT_CONNECTION_SEQUENCE)
        return f"connection-{int.from_bytes(raw, 'big')}"


@pytest.fixture
def step(scene, request):
    return Step(scene, request.param)


def for_step(name):
    return pytest.mark.parametrize("step", [name], indirect=True, ids=[name])


# -- good cases


@for_step("open_init")
def test_init_without_a_version_offers_all_and_with_one_that_alone(step):
    new = step.next_id()
    step.stage.attempt(replace(step.message, version=None))
    assert step.end(new).versions == (DEFAULT_VERSION,)
    second = f"connection-{int(new.removeprefix('connection-')) + 1}"
    step.stage.attempt(replace(step.message, version=ORDERED_ONLY))
    assert step.end(second).versions == (ORDERED_ONLY,)


# -- refusals


def counterparty(**changes):
    return lambda _, message: replace(message, counterparty=replace(message.counterparty, **changes))


VERSION_ROWS = [
    Row("version blank", setting(version=Version(" ", ("ORDER_ORDERED",))), InvalidConnectionVersion),
    Row("version with a blank feature", setting(version=Version("1", ("",))), InvalidConnectionVersion),
    Row(
        "version with 101 features",
        setting(version=Version("1", ("ORDER_ORDERED",) * 101)),
        InvalidConnectionVersion,
        {"reason": "101 features exceed 100"},
    ),
]

COUNTERPARTY_ROWS = [
    Row(
        "counterparty's client malformed",
        counterparty(client_id="x/y"),
        InvalidIdentifier,
        {"kind": "client"},
    ),
    Row("prefix empty", counterparty(prefix=b""), InvalidConnectionCounterparty, {"reason": "empty prefix"}),
    Row("prefix of 257 bytes", counterparty(prefix=b"p" * 257), InvalidConnectionCounterparty),
]


def own_client_rows(field):
    """The client that the message names is of no use; what is said of an unknown one differs by step."""
    return [
        Row("localhost", setting(**{field: "09-localhost"}), InvalidClientType),
        Row("client malformed", setting(**{field: "a"}), InvalidIdentifier, {"kind": "client"}),
        Row(
            "client with slash", setting(**{field: "07-tendermint/0"}), InvalidIdentifier, {"kind": "client"}
        ),
        Row("client of a number too large", setting(**{field: f"07-tendermint-{2**64}"}), None),
        Row("client unknown", setting(**{field: "07-tendermint-9"}), ClientNotActive, {"status": "Unknown"}),
    ]


INIT_ROWS = [
    *signer_rows(),
    *VERSION_ROWS,
    *COUNTERPARTY_ROWS,
    *(row._replace(error=row.error or ClientNotActive) for row in own_client_rows("client_id_on_a")),
    *(row for row in client_rows() if row.name in {"client frozen", "client expired"}),
    Row(
        "client type not registered",
        setting(client_id_on_a="solo-0"),
        ClientNotActive,
        {"status": "Unauthorized"},
    ),
    Row(
        "client type not allowed",
        client_rows()[3].change,
        ClientNotActive,
        {"status": "Unauthorized"},
    ),
    Row(
        "counterparty named already",
        counterparty(connection_id="connection-0"),
        InvalidConnectionCounterparty,
    ),
    Row("version unknown", setting(version=Version("2", ("ORDER_ORDERED",))), InvalidConnectionVersion),
    Row("feature unknown", setting(version=Version("1", ("ORDER_DAG",))), InvalidConnectionVersion),
    Row("version without features", setting(version=Version("1", ())), InvalidConnectionVersion),
]

TRY_ROWS = [
    *signer_rows(),
    *COUNTERPARTY_ROWS,
    *proof_rows("proof_init", "proof_height", "init"),
    *(row._replace(error=row.error or InvalidIdentifier) for row in own_client_rows("client_id_on_b")),
    *(
        row
        for row in client_rows()
        if row.name in {"client frozen", "client expired", "client type not allowed"}
    ),
    Row("client type not registered", setting(client_id_on_b="solo-0"), ClientRouteNotFound),
    Row("counterparty unnamed", counterparty(connection_id=""), InvalidIdentifier, {"kind": "connection"}),
    Row("counterparty malformed", counterparty(connection_id="connection/0"), InvalidIdentifier),
    Row("no versions", setting(versions_on_a=()), InvalidVersion),
    Row("101 versions", setting(versions_on_a=(DEFAULT_VERSION,) * 101), InvalidVersion),
    Row("a blank version", setting(versions_on_a=(Version("", ("x",)),)), InvalidConnectionVersion),
    Row(
        "no version in common",
        setting(versions_on_a=(Version("2", ("ORDER_ORDERED",)),)),
        VersionNegotiationFailed,
    ),
    Row(
        "no feature in common",
        setting(versions_on_a=(Version("1", ("ORDER_DAG",)),)),
        VersionNegotiationFailed,
    ),
    Row("other versions than A offered", setting(versions_on_a=(ORDERED_ONLY,)), InvalidProof),
    Row("another delay than A's", setting(delay_period_ns=1), InvalidProof),
    Row("a delay of 2^64-1", setting(delay_period_ns=MAX_U64), InvalidProof),
    Row("another connection of A's", counterparty(connection_id="connection-0"), InvalidProof),
    Row("another client of A's", counterparty(client_id="07-tendermint-9"), InvalidProof),
    Row("another store of A's", counterparty(prefix=b"bank"), InvalidProof),
]

ACK_ROWS = [
    *signer_rows(),
    *VERSION_ROWS,
    *proof_rows("proof_try", "proof_height", "try"),
    Row("own name malformed", setting(connection_id_on_a="channel-0"), InvalidConnectionIdentifier),
    Row("own name with leading zero", setting(connection_id_on_a="connection-00"), ConnectionNotFound),
    Row("no such connection", setting(connection_id_on_a="connection-99"), ConnectionNotFound),
    Row("other end's name malformed", setting(connection_id_on_b="b"), InvalidIdentifier),
    Row("other end another", setting(connection_id_on_b="connection-0"), InvalidProof),
    Row("no version", setting(version=None), InvalidConnectionVersion, {"reason": "no version"}),
    Row("version not offered", setting(version=Version("2", ("ORDER_ORDERED",))), InvalidConnectionState),
    Row("feature not offered", setting(version=Version("1", ("ORDER_DAG",))), InvalidConnectionState),
    Row("version other than B's", setting(version=ORDERED_ONLY), InvalidProof),
]

CONFIRM_ROWS = [
    *signer_rows(),
    *proof_rows("proof_ack", "proof_height", "ack"),
    Row("own name malformed", setting(connection_id_on_b="channel-0"), InvalidConnectionIdentifier),
    Row("no such connection", setting(connection_id_on_b="connection-99"), ConnectionNotFound),
]

TABLE = [
    *(("open_init", row) for row in INIT_ROWS),
    *(("open_try", row) for row in TRY_ROWS),
    *(("open_ack", row) for row in ACK_ROWS),
    *(("open_confirm", row) for row in CONFIRM_ROWS),
]


@pytest.mark.parametrize(
    ("step", "row"), TABLE, indirect=["step"], ids=[f"{name}: {row.name}" for name, row in TABLE]
)
def test_refusals(step, row):
    check_row(step.stage, step.message, row)


@pytest.mark.parametrize("step", ["open_ack", "open_confirm"], indirect=True)
@pytest.mark.parametrize("index", range(6))
def test_a_useless_client_refuses(step, index):
    check_row(step.stage, step.message, client_rows(step.connection_id)[index])


@pytest.mark.parametrize("step", ["open_ack", "open_confirm"], indirect=True)
def test_the_delay_does_not_count_for_handshakes_but_for_what_is_proven(step):
    # A delay on our end alone: not asked of the proof's age, but the other end must have the same.
    row = Row("", connected_by(step.connection_id, delay_period_ns=10**18), InvalidProof)
    check_row(step.stage, step.message, row)


@pytest.mark.parametrize("step", ["open_ack", "open_confirm"], indirect=True)
@pytest.mark.parametrize("state", ConnectionState)
def test_every_state_is_tried_and_only_the_tables_succeeds(step, state):
    change_connection(step.stage.ctx, step.connection_id, state=state)
    after = ALLOWED.get((state, step.name))
    if after is None:
        facts = {"connection_id": step.connection_id, "got": state.name}
        expect_refusal(step.stage, step.message, InvalidConnectionState, **facts)
    else:
        assert step.stage.attempt(step.message).error is None
        assert step.end().state is after


"""Written out once more, so that a slip in the table itself shows."""
