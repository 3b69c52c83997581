"""Messages of tendermint/types/evidence.proto, made from descriptors.binpb (generated)."""

from ibc_core.wire.pool import define

define("tendermint/types/evidence.proto", globals())
