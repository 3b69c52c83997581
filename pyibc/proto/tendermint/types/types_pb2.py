"""Messages of tendermint/types/types.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/types/types.proto", globals())
