"""Messages of ibc/applications/interchain_accounts/v1/packet.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/applications/interchain_accounts/v1/packet.proto", globals())
