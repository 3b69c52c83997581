"""Messages of ibc/core/client/v1/genesis.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/client/v1/genesis.proto", globals())
