"""Messages of ibc/core/channel/v1/genesis.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/channel/v1/genesis.proto", globals())
