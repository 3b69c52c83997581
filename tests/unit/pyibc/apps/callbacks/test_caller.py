"""What a packet asks for, where its application says nothing of it."""

import pytest

from pyibc.apps.callbacks.caller import ContractCaller
from pyibc.apps.callbacks.memo import Side
from pyibc.core.errors import ApplicationFault, InvalidType, LogicFault, OutOfGas
from pyibc.core.host.overlay import BlockContext
from tests.accounts_block import Empty


def callback_data(error):
    def decode():
        raise error

    ctx = BlockContext("a-1", 1, 1, {"ibc": Empty()})
    return ContractCaller(10_000).callback_data(ctx, Side.SOURCE, decode, "ics20-1", "transfer")


def test_data_that_the_application_refuses_ask_for_nothing():
    assert callback_data(InvalidType("a transfer", "something else")) is None


@pytest.mark.parametrize("error", [OutOfGas(1, 2), LogicFault("broken"), ApplicationFault("decoding")])
def test_h177_an_application_that_fails_while_it_reads_has_said_nothing(error):
    """Else the callback is called on one chain, and on the other, whose application reads, it is not."""
    with pytest.raises(type(error)):
        callback_data(error)
