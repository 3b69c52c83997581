"""The four steps of a connection's handshake: the checks of what a message says, as rows.

Recordings of ibc-go (`handshake_errors.json.gz`) have the steps themselves, states, clients and proofs.
"""

from dataclasses import replace

import pytest

from conformance.kit.refusal_rows import signer_rows
from conformance.kit.refusals import Row, check_row, setting
from pyibc.core.connection.types import DEFAULT_VERSION, Version
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
    InvalidVersion,
    VersionNegotiationFailed,
)


class Step:
    """One message of the handshake, and the chain that it is for."""

    def __init__(self, scene, name):
        half = scene.connections
        on_a = name in {"open_init", "open_ack"}
        self.stage = scene.stage(scene.a if on_a else scene.b)
        self.message = {
            "open_init": scene.to_a.connection_open_init(),
            "open_try": scene.to_b.connection_open_try(half.init_on_a),
            "open_ack": scene.to_a.connection_open_ack(*half.tried),
            "open_confirm": scene.to_b.connection_open_confirm(*half.acked[::-1]),
        }[name]


@pytest.fixture
def step(scene, request):
    return Step(scene, request.param)


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
    Row(
        "client type not registered",
        setting(client_id_on_a="solo-0"),
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
    *(row._replace(error=row.error or InvalidIdentifier) for row in own_client_rows("client_id_on_b")),
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
]

ACK_ROWS = [
    *signer_rows(),
    *VERSION_ROWS,
    Row("own name malformed", setting(connection_id_on_a="channel-0"), InvalidConnectionIdentifier),
    Row("own name with leading zero", setting(connection_id_on_a="connection-00"), ConnectionNotFound),
    Row("no such connection", setting(connection_id_on_a="connection-99"), ConnectionNotFound),
    Row("other end's name malformed", setting(connection_id_on_b="b"), InvalidIdentifier),
    Row("no version", setting(version=None), InvalidConnectionVersion, {"reason": "no version"}),
    Row("version not offered", setting(version=Version("2", ("ORDER_ORDERED",))), InvalidConnectionState),
    Row("feature not offered", setting(version=Version("1", ("ORDER_DAG",))), InvalidConnectionState),
]

CONFIRM_ROWS = [
    *signer_rows(),
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
