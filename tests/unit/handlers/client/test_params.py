"""Parameters of clients and connections: who may set them, and to what."""

import pytest

from conformance.kit.refusal_rows import signer_rows
from conformance.kit.refusals import Row, check_row, expect_refusal, setting
from conformance.kit.sides import CLIENT_ON_A
from pyibc.core import paths
from pyibc.core.client.messages import MsgUpdateClientParams
from pyibc.core.client.types import Status
from pyibc.core.connection.messages import MsgUpdateConnectionParams
from pyibc.core.errors import InvalidRequest, UnauthorizedTx
from pyibc.core.wire import states


def clients(governed, *allowed):
    return MsgUpdateClientParams(allowed, governed.authority)


@pytest.mark.parametrize("allowed", [(), ("*",), ("06-solomachine", "07-tendermint"), ("x", "y")])
def test_the_authority_sets_the_allowed_clients(governed, allowed):
    stage = governed.stage()
    attempt = stage.attempt(clients(governed, *allowed))
    assert (attempt.error, attempt.response, attempt.events) == (None, b"", ())
    assert stage.writes() == {("ibc", paths.CLIENT_PARAMS): states.encode_client_params(allowed)}
    active = allowed == ("*",) or "07-tendermint" in allowed
    expected = Status.ACTIVE if active else Status.UNAUTHORIZED
    assert governed.a.keepers.clients.status(stage.ctx, CLIENT_ON_A) is expected


NOT_THE_AUTHORITY = "cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu"

CLIENT_ROWS = [
    *signer_rows(),
    Row("not the authority", setting(signer=NOT_THE_AUTHORITY), UnauthorizedTx),
    Row("201 types", setting(allowed_clients=tuple(map(str, range(201)))), InvalidRequest),
    Row("all and one more", setting(allowed_clients=("*", "07-tendermint")), InvalidRequest),
    Row("a blank type", setting(allowed_clients=("07-tendermint", " ")), InvalidRequest),
    Row("a type twice", setting(allowed_clients=("a", "b", "a")), InvalidRequest),
]


@pytest.mark.parametrize("row", CLIENT_ROWS, ids=repr)
def test_h39b_client_parameters_are_refused(governed, row):
    check_row(governed.stage(), clients(governed, "07-tendermint"), row)


def test_two_hundred_types_are_not_too_many(governed):
    assert governed.stage().attempt(clients(governed, *map(str, range(200)))).error is None


def test_the_authority_sets_the_time_of_a_block(governed):
    stage = governed.stage()
    attempt = stage.attempt(MsgUpdateConnectionParams(7, governed.authority))
    assert (attempt.error, attempt.response, attempt.events) == (None, b"", ())
    assert stage.writes() == {("ibc", paths.CONNECTION_PARAMS): b"\x08\x07"}


@pytest.mark.parametrize(
    "row",
    [
        *signer_rows(),
        Row("not the authority", setting(signer=NOT_THE_AUTHORITY), UnauthorizedTx),
        Row("no time", setting(max_expected_time_per_block_ns=0), InvalidRequest),
    ],
    ids=repr,
)
def test_h39b_connection_parameters_are_refused(governed, row):
    check_row(governed.stage(), MsgUpdateConnectionParams(7, governed.authority), row)


def test_where_nobody_is_the_authority_nobody_may(scene):
    signer = scene.to_a.signer
    expect_refusal(scene.stage(scene.a), MsgUpdateClientParams(("*",), signer), UnauthorizedTx)
    expect_refusal(scene.stage(scene.a), MsgUpdateConnectionParams(7, signer), UnauthorizedTx)
