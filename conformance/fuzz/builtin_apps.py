"""All built-in applications and middleware, which every chain of the fuzzer runs."""

from conformance.kit.contracts import ContractsPlugin
from localnet import applications
from pyibc.apps.callbacks.contract import Contract
from pyibc.apps.callbacks.plugin import CallbacksPlugin

CONTRACT = "contract"
"""Address of a contract on each chain that accepts everything."""


def apps() -> list[object]:
    """Return the plugins of `localnet.applications`, and callbacks with a contract."""
    return [*applications.plugins(), CallbacksPlugin(), ContractsPlugin({CONTRACT: _Silent()})]


class _Silent(Contract):
    """Contract that accepts every call."""

    def on_send_packet(self) -> None:
        """Accept."""

    def on_acknowledgement_packet(self) -> None:
        """Accept."""

    def on_timeout_packet(self) -> None:
        """Accept."""

    def on_recv_packet(self) -> None:
        """Accept."""
