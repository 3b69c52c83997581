"""Messages of tendermint/types/validator.proto, made from descriptors.binpb (generated)."""

from abci_server.pool import define

define("tendermint/types/validator.proto", globals())
