"""Messages of tendermint/types/validator.proto, made from descriptors.binpb (generated)."""

from localnet.abci.pool import define

define("tendermint/types/validator.proto", globals())
