"""Messages of ibc/applications/gmp/v1/genesis.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/applications/gmp/v1/genesis.proto", globals())
