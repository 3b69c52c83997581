"""Messages of tendermint/types/evidence.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/types/evidence.proto", globals())
