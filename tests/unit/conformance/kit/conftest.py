"""Two chains with a channel."""

import pytest

from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core.channel.types import Order
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.testing import two_chains


@pytest.fixture
def pair():
    pair = two_chains()
    yield pair
    pair.close()


@pytest.fixture
def path(pair):
    return pair.open("transfer", Order.UNORDERED, "ics20-1")


@pytest.fixture
def transfer(pair):
    """Alice's coins on A to Bob on B."""

    def make(path, amount="7", timeout=10**6):
        message = MsgTransfer(
            "transfer", path.a.channel_id, "stake", amount,
            pair.a.address("alice"), pair.b.address("bob"), Height(1, timeout), 0, "",
        )  # fmt: skip
        return pack_msg(message)

    return make
