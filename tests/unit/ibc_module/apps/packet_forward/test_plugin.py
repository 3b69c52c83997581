"""The plugin in a chain."""

import pytest

from ibc_module.apps.packet_forward.plugin import PacketForwardPlugin
from ibc_module.apps.packet_forward.state import STORE_NAME


def test_its_store():
    assert PacketForwardPlugin().chain_stores() == ("packetfowardmiddleware",) == (STORE_NAME,)


@pytest.mark.parametrize("given", [{"retries": -1}, {"retries": 256}, {"timeout_ns": 0}, {"timeout_ns": -1}])
def test_defaults_that_cannot_be(given):
    with pytest.raises(ValueError, match="no defaults of forwarding"):
        PacketForwardPlugin(**given)
