"""Messages of tendermint/version/types.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/version/types.proto", globals())
