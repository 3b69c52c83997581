"""What a plugin has once it is wired is refused before, by every plugin in the same way."""

import pytest

from ibc_module.plugin import IbcPlugin
from ibc_module.registration import AtWiring
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.apps.transfer.plugin import TransferPlugin
from pyibc.core.host.context import Config
from pyibc.core.setup_error import WiringError
from pyibc.direct.plugin import DirectPlugin
from pyibc.queues.plugin import QueuePlugin


class Plugin:
    given = AtWiring[int]()


def test_it_is_there_once_it_is_set_and_each_plugins_own():
    one, other = Plugin(), Plugin()
    one.given = 7
    assert one.given == 7
    with pytest.raises(WiringError, match=r"^Plugin has no given before a Pipeline holds it"):
        _ = other.given


@pytest.mark.parametrize(
    ("plugin", "use"),
    [
        (IbcPlugin(Config()), lambda plugin: plugin.keepers),
        (QueuePlugin(), lambda plugin: plugin.chain_queries()),
        (DirectPlugin(), lambda plugin: plugin.chain_messages()),
        (TransferPlugin(), lambda plugin: plugin.ibc_register_apps_v2()),
        (TransferPlugin(), lambda plugin: plugin.chain_queries()),
        (RateLimitPlugin(), lambda plugin: next(iter(plugin.chain_messages().values())).decode(b"")),
    ],
)
def test_ours_refuse_alike(plugin, use):
    with pytest.raises(WiringError, match=rf"^{type(plugin).__name__} has no \w+ before a Pipeline holds it"):
        use(plugin)
