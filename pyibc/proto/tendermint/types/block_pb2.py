"""Messages of tendermint/types/block.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/types/block.proto", globals())
