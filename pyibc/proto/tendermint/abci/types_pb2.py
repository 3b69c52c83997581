"""Messages of tendermint/abci/types.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/abci/types.proto", globals())
