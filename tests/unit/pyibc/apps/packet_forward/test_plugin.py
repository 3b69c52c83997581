"""The plugin in a chain."""

import pytest

from pyibc.apps.packet_forward.plugin import PacketForwardPlugin
from pyibc.apps.packet_forward.state import STORE_NAME


def test_its_store():
    assert PacketForwardPlugin().chain_stores() == ("packetfowardmiddleware",) == (STORE_NAME,)


@pytest.mark.parametrize("given", [{"retries": -1}, {"retries": 256}, {"timeout_ns": 0}, {"timeout_ns": -1}])
def test_defaults_that_cannot_be(given):
    with pytest.raises(ValueError, match="retries must be 0 to 255"):
        PacketForwardPlugin(**given)
