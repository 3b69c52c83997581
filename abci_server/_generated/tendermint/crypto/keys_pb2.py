"""Messages of tendermint/crypto/keys.proto, made from descriptors.binpb (generated)."""

from abci_server.pool import define

define("tendermint/crypto/keys.proto", globals())
