"""The client keeper."""

import pytest

from pyibc.core import paths
from pyibc.core.client.types import Status
from pyibc.core.errors import InvalidClientType, LogicFault

MINE = "99-noting-4"


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
