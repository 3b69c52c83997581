"""Bringing a client back by a substitute."""

import pytest

from conformance.kit.mutate_state import allow_clients, freeze_client
from conformance.kit.refusal_rows import signer_rows
from conformance.kit.refusals import Row, check_row, mutating, setting
from conformance.kit.sides import CLIENT_ON_A
from light_client.tendermint import store
from pyibc.core import paths
from pyibc.core.client.messages import MsgRecoverClient
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ClientNotActive,
    ClientNotFound,
    ClientRouteNotFound,
    InvalidClientHeight,
    InvalidIdentifier,
    InvalidRecoveryClient,
    InvalidSubstitute,
    UnauthorizedTx,
)
from pyibc.testing.pair import SHIFTED

SUBSTITUTE = f"07-tendermint-{SHIFTED.client + 1}"


@pytest.fixture
def stage(governed):
    """CLIENT frozen, and SUBSTITUTE created later with the same terms."""
    governed.b.chain.make_block([])
    stage = governed.stage()
    assert stage.attempt(governed.to_a.create_client()).error is None
    freeze_client(stage.ctx, CLIENT_ON_A)
    stage.ctx.take_events()
    return stage


@pytest.fixture
def message(governed):
    return MsgRecoverClient(CLIENT_ON_A, SUBSTITUTE, governed.authority)


def test_the_subject_goes_on_where_the_substitute_is(governed, stage, message):
    substitute = store.client_state(stage.ctx, SUBSTITUTE)
    height = substitute.latest_height
    attempt = stage.attempt(message)
    assert (attempt.error, attempt.response) == (None, b"")
    assert attempt.events == (
        ("recover_client", (("subject_client_id", CLIENT_ON_A), ("client_type", "07-tendermint"))),
        ("message", (("module", "ibc_client"),)),
    )
    assert store.client_state(stage.ctx, CLIENT_ON_A) == substitute
    seen = store.consensus_state(stage.ctx, SUBSTITUTE, height)
    assert store.consensus_state(stage.ctx, CLIENT_ON_A, height) == seen
    assert all(key.startswith(paths.client_prefix(CLIENT_ON_A)) for _, key in attempt.writes)
    assert governed.a.keepers.clients.status(stage.ctx, CLIENT_ON_A) is Status.ACTIVE


def thaw(ctx, message):
    state = store.client_state(ctx, CLIENT_ON_A)
    store.set_client_state(ctx, CLIENT_ON_A, state._replace(frozen_height=type(state.latest_height)(0, 0)))


def put_above(ctx, message):
    state, height = store.client_state(ctx, CLIENT_ON_A), store.client_state(ctx, SUBSTITUTE).latest_height
    store.set_client_state(ctx, CLIENT_ON_A, state._replace(latest_height=height))


def change_drift(ctx, message):
    state = store.client_state(ctx, SUBSTITUTE)
    store.set_client_state(ctx, SUBSTITUTE, state._replace(max_clock_drift_ns=1))


ROWS = [
    *signer_rows(),
    Row("not the authority", setting(signer="cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu"), UnauthorizedTx),
    Row("itself", setting(substitute_client_id=CLIENT_ON_A), InvalidSubstitute),
    Row("subject malformed", setting(subject_client_id="07/t-0"), InvalidIdentifier),
    Row("substitute malformed", setting(substitute_client_id="07/t-0"), InvalidIdentifier),
    Row("subject of no type", setting(subject_client_id="tendermint"), ClientRouteNotFound),
    Row("subject of an unknown type", setting(subject_client_id="08-wasm-0"), ClientRouteNotFound),
    Row("type not allowed", mutating(lambda ctx, _: allow_clients(ctx, "x")), ClientRouteNotFound),
    Row("subject Active", mutating(thaw), InvalidRecoveryClient),
    Row("no substitute", setting(substitute_client_id="07-tendermint-99"), ClientNotActive),
    Row("substitute of another type", setting(substitute_client_id="06-solomachine-0"), ClientNotActive),
    Row("substitute frozen", mutating(lambda ctx, _: freeze_client(ctx, SUBSTITUTE)), ClientNotActive),
    Row("substitute not above", mutating(put_above), InvalidClientHeight),
    Row("no subject", setting(subject_client_id="07-tendermint-99"), ClientNotFound),
    Row("substitute follows otherwise", mutating(change_drift), InvalidSubstitute),
]


@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_h39b_refusals(stage, message, row):
    bad = row.change(stage, message)
    before = stage.writes()
    check_row(stage, bad, row._replace(change=setting()))
    assert stage.writes() == before
