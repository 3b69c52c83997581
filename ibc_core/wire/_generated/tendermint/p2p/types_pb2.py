"""Messages of tendermint/p2p/types.proto, made from descriptors.binpb (generated)."""

from ibc_core.wire.pool import define

define("tendermint/p2p/types.proto", globals())
