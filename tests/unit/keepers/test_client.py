"""The client keeper."""

import pytest

from ibc_core import paths
from ibc_core.client.types import Status
from ibc_core.errors import (
    ClientNotActive,
    ClientRouteNotFound,
    InvalidClientType,
    InvalidIdentifier,
    LogicFault,
)
from ibc_core.height import Height

MINE = "99-noting-4"


def test_params(ctx, clients):
    assert clients.allowed_clients(ctx) == ("*",)
    clients.set_allowed_clients(ctx, ("07-tendermint", "99-noting"))
    assert clients.allowed_clients(ctx) == ("07-tendermint", "99-noting")


def test_params_that_genesis_forgot(ctx, clients):
    ctx.ibc.delete(paths.CLIENT_PARAMS)
    with pytest.raises(LogicFault):
        clients.allowed_clients(ctx)


@pytest.mark.parametrize(
    ("allowed", "passes"),
    [
        (("*",), True),
        (("99-noting",), True),
        (("07-tendermint",), False),
        ((), False),
        (("99-notin",), False),
    ],
)
def test_allowed_types(ctx, clients, light_client, allowed, passes):
    clients.set_allowed_clients(ctx, allowed)
    if passes:
        assert clients.by_type(ctx, "99-noting") is light_client
        assert clients.route(ctx, MINE) is light_client
        assert clients.status(ctx, MINE) is Status.ACTIVE
        return
    for call in (lambda: clients.by_type(ctx, "99-noting"), lambda: clients.route(ctx, MINE)):
        with pytest.raises(InvalidClientType):
            call()
    assert clients.status(ctx, MINE) is Status.UNAUTHORIZED


def test_a_type_that_nobody_keeps(ctx, clients):
    with pytest.raises(ClientRouteNotFound) as refused:
        clients.route(ctx, "07-tendermint-0")
    assert refused.value.client_type == "07-tendermint"
    assert clients.status(ctx, "07-tendermint-0") is Status.UNAUTHORIZED


@pytest.mark.parametrize("client_id", ["", "99-noting", "99-noting-", "99-noting-x", "99-noting-4/x"])
def test_names_of_no_client(ctx, clients, client_id):
    with pytest.raises((InvalidIdentifier, ClientRouteNotFound)):
        clients.route(ctx, client_id)
    assert clients.status(ctx, client_id) is Status.UNAUTHORIZED


@pytest.mark.parametrize("status", list(Status))
def test_only_active_clients_verify(ctx, clients, light_client, status):
    light_client.current = status
    if status is Status.ACTIVE:
        clients.require_active(ctx, MINE)
        assert clients.active(ctx, MINE) is light_client
        return
    for call in (clients.require_active, clients.active):
        with pytest.raises(ClientNotActive) as refused:
            call(ctx, MINE)
        assert (refused.value.client_id, refused.value.status) == (MINE, status.value)


def test_require_active_of_nobodys_client(ctx, clients):
    with pytest.raises(ClientNotActive) as refused:
        clients.require_active(ctx, "07-tendermint-0")
    assert refused.value.status == "Unauthorized"


def test_what_the_light_client_knows(ctx, clients):
    assert clients.latest_height(ctx, MINE) == (1, 30)
    assert clients.timestamp_at(ctx, MINE, Height(1, 7)) == 70


def test_names_and_creators(ctx, clients, written):
    names = []
    assert written(lambda: names.append(clients.next_client_id(ctx, "99-noting"))) == ["nextClientSequence"]
    names.append(clients.next_client_id(ctx, "07-tendermint"))
    assert names == ["99-noting-0", "07-tendermint-1"]  # one counter for all types
    assert written(lambda: clients.set_creator(ctx, MINE, b"address")) == [f"clients/{MINE}/creator"]
    assert ctx.ibc.get(paths.client_creator_path(MINE)) == b"address"
