"""The localhost: reads its own store, believes one proof, refuses everything that needs a state."""

import pytest

from conformance import memory
from light_client.interface import Claim, UpgradedStates
from light_client.registry import SENTINEL_PROOF, LocalhostLightClient
from pyibc.codec.anys import AnyMessage
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ClientExists,
    ConsensusStateNotFound,
    FailedMembershipVerification,
    FailedNonMembershipVerification,
    InvalidClient,
    InvalidConsensus,
    InvalidMisbehaviour,
    InvalidPath,
    InvalidUpgradeClient,
    UpdateClientFailed,
)
from pyibc.core.height import Height

ID = "09-localhost"
PATH = (b"ibc", b"key")
MESSAGE = AnyMessage("/x", b"")
AT = Height(3, 3)
UPGRADED = UpgradedStates(b"", b"", b"", b"")


@pytest.fixture
def ctx():
    ctx = memory.block(10**18, height=7, chain_id="host-4")
    ctx.ibc.set(b"key", b"value")
    return ctx


client = LocalhostLightClient()


def member(ctx, proof=SENTINEL_PROOF, path=PATH, value=b"value"):
    return client.verify_membership(ctx, ID, Claim(AT, proof, path, value, 9, 9))


def absent(ctx, proof=SENTINEL_PROOF, path=(b"ibc", b"other")):
    return client.verify_non_membership(ctx, ID, Claim(AT, proof, path, b"", 9, 9))


@pytest.mark.parametrize("path", [(), (b"key",), (b"ibc", b"", b"key")])
def test_a_path_has_two_parts(ctx, path):
    for verify in (member, absent):
        with pytest.raises(InvalidPath):
            verify(ctx, path=path)


def test_it_is_always_here_and_now(ctx):
    assert client.status(ctx, ID) is Status.ACTIVE
    assert client.latest_height(ctx, ID) == Height(4, 7)
    for at in (AT, Height(0, 1), Height(4, 7)):
        assert client.timestamp_at_height(ctx, ID, at) == 10**18
    for at in (Height(4, 8), Height(5, 1)):
        with pytest.raises(ConsensusStateNotFound, match=str(at)):
            client.timestamp_at_height(ctx, ID, at)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda ctx: client.check_client_state(b""), InvalidClient),
        (lambda ctx: client.check_consensus_state(b""), InvalidConsensus),
        (lambda ctx: client.check_message(MESSAGE), UpdateClientFailed),
        (lambda ctx: client.initialize(ctx, ID, b"", b""), ClientExists),
        (lambda ctx: client.verify_client_message(ctx, ID, MESSAGE), UpdateClientFailed),
        (lambda ctx: client.recover(ctx, ID, ID), UpdateClientFailed),
        (lambda ctx: client.update_state(ctx, ID, MESSAGE), UpdateClientFailed),
        (lambda ctx: client.update_state_on_misbehaviour(ctx, ID, MESSAGE), InvalidMisbehaviour),
        (
            lambda ctx: client.verify_upgrade_and_update_state(ctx, ID, UPGRADED),
            InvalidUpgradeClient,
        ),
    ],
)
def test_it_has_no_state(ctx, call, error):
    before = ctx.writes("ibc")
    with pytest.raises(error):
        call(ctx)
    assert ctx.writes("ibc") == before


def test_it_shows_no_misbehaviour(ctx):
    assert not client.check_for_misbehaviour(ctx, ID, MESSAGE)


def test_what_is_not_so_is_refused(ctx):
    for path, value in (
        (PATH, b"valu"),
        (PATH, b""),
        ((b"ibc", b"other"), b"value"),
        ((b"ibc", b"other"), b""),
    ):
        with pytest.raises(FailedMembershipVerification):
            member(ctx, path=path, value=value)
    with pytest.raises(FailedNonMembershipVerification):
        absent(ctx, path=PATH)
