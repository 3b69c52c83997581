"""Messages of ibc/core/client/v2/genesis.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/client/v2/genesis.proto", globals())
