"""Messages of tendermint/p2p/types.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/p2p/types.proto", globals())
