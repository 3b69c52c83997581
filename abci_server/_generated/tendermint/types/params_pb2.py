"""Messages of tendermint/types/params.proto, made from descriptors.binpb (generated)."""

from abci_server.pool import define

define("tendermint/types/params.proto", globals())
