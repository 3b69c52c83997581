"""A chain whose connections and channels have chosen names goes on from its exported genesis."""

import json
from copy import deepcopy

import pytest

from conformance.kit.direct_module import DirectModulePlugin, DirectModules, opening, packet_between
from conformance.kit.outcomes import must
from ibc_module.plugin import Config
from localnet.chain import LocalChain
from localnet.settings import Genesis
from pyibc.core.channel.types import Order
from pyibc.core.setup_error import InvalidGenesis
from pyibc.default_plugins import plugins
from pyibc.direct.plugin import DirectPlugin

CHANNEL_ON_A, CHANNEL_ON_B = "chosen-channel-a", "chosen-channel-b"
CONNECTION_ON_A, CONNECTION_ON_B = "chosen-connection-a", "chosen-connection-b"


@pytest.fixture(scope="module")
def exported():
    """Of chain A: an open channel with packets and one that began, over chosen and generated connections."""
    net = DirectModules(optimistic_sends=1)
    must(net.a.submit(net.named(net.a).connection_open_init(CONNECTION_ON_A, CONNECTION_ON_B)))
    net.open(CHANNEL_ON_A, CHANNEL_ON_B, Order.ORDERED)
    for number in (1, 2):
        net.on_a(net.calls_on_a.send(packet_between(number, CHANNEL_ON_A, CHANNEL_ON_B)))
    begun = opening("begun-channel-a", "begun-channel-b", connection_id=CONNECTION_ON_A)
    net.on_a(net.calls_on_a.open_init(begun))
    yield json.loads(json.dumps(net.a.chain.app.export_genesis()))
    net.a.chain.close()
    net.b.chain.close()


def start(state):
    parts = [*plugins(Config(optimistic_sends=1)), DirectPlugin(), DirectModulePlugin()]
    return LocalChain("alpha-1", plugins=parts, genesis=Genesis(state))


def test_h302_a_chain_with_chosen_names_goes_on(exported):
    """One transaction that chose a name made the whole export unusable."""
    try:
        again = start(exported)
    except InvalidGenesis as error:
        pytest.fail(f"the export is refused: {error}")
    assert again.app.export_genesis()["ibc"] == exported["ibc"]
    again.close()


@pytest.mark.parametrize(
    ("part", "field", "name"),
    [("channel_genesis", "channels", "channel_id"), ("connection_genesis", "connections", "id")],
)
@pytest.mark.parametrize("text", ["a/b-of-ten", "short", "x" * 65, ""])
def test_h302_a_name_that_no_chain_can_give_is_refused(exported, part, field, name, text):
    state = deepcopy(exported)
    state["ibc"][part][field][0][name] = text
    with pytest.raises(InvalidGenesis) as caught:
        start(state)
    assert caught.value.key == f"ibc.{part}.{field}[0].{name}"
