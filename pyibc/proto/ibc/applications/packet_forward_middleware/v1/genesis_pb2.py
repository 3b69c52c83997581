"""Messages of ibc/applications/packet_forward_middleware/v1/genesis.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/applications/packet_forward_middleware/v1/genesis.proto", globals())
