"""Parameters of controller and host, as their stores have them."""

from typing import NamedTuple

from ibc_core.interchain_accounts.msg_update_host_params import ALLOW_ALL
from ibc_core.kept import kept
from ibc_core.value import sealed
from ibc_proto.ibc.applications.interchain_accounts.controller.v1 import controller_pb2
from ibc_proto.ibc.applications.interchain_accounts.host.v1 import host_pb2


@sealed
class ControllerParams(NamedTuple):
    """Whether accounts are registered and controlled from here."""

    controller_enabled: bool = True


@sealed
class HostParams(NamedTuple):
    """Whether there are accounts here for other chains, and what they may do."""

    host_enabled: bool = True
    allow_messages: tuple[str, ...] = (ALLOW_ALL,)  # type URLs

    def allows(self, type_url: str) -> bool:
        """Whether interchain accounts may execute messages of this type."""
        # guard: h160-a-star-among-others-allows-all {self.allow_messages == (ALLOW_ALL,) => ALLOW_ALL in
        #   self.allow_messages} test_h160_only_what_is_allowed
        return self.allow_messages == (ALLOW_ALL,) or type_url in self.allow_messages


@kept(16)
def controller_params(raw: bytes) -> ControllerParams:
    """Stored parameters."""
    return ControllerParams(controller_pb2.Params.FromString(raw).controller_enabled)


def encode_controller_params(params: ControllerParams) -> bytes:
    """Parameters as they are stored: b"" where the controller is off."""
    return controller_pb2.Params(controller_enabled=params.controller_enabled).SerializeToString()


@kept(16)
def host_params(raw: bytes) -> HostParams:
    """Stored parameters."""
    found = host_pb2.Params.FromString(raw)
    return HostParams(found.host_enabled, tuple(found.allow_messages))


def encode_host_params(params: HostParams) -> bytes:
    """Parameters as they are stored."""
    wire = host_pb2.Params(host_enabled=params.host_enabled, allow_messages=params.allow_messages)
    return wire.SerializeToString()
