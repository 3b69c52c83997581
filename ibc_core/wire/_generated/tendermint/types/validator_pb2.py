"""Messages of tendermint/types/validator.proto, made from descriptors.binpb (generated)."""

from ibc_core.wire.pool import define

define("tendermint/types/validator.proto", globals())
