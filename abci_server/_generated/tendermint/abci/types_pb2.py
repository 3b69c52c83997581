"""Messages of tendermint/abci/types.proto, made from descriptors.binpb (generated)."""

from abci_server.pool import define

define("tendermint/abci/types.proto", globals())
