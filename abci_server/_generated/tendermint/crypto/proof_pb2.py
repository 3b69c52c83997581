"""Messages of tendermint/crypto/proof.proto, made from descriptors.binpb (generated)."""

from abci_server.pool import define

define("tendermint/crypto/proof.proto", globals())
