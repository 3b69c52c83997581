"""Messages of tendermint/abci/types.proto, made from descriptors.binpb (generated)."""

from ibc_core.wire.pool import define

define("tendermint/abci/types.proto", globals())
