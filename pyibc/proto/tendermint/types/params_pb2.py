"""Messages of tendermint/types/params.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/types/params.proto", globals())
