"""Messages of tendermint/crypto/proof.proto, made from descriptors.binpb (generated)."""

from localnet.abci.pool import define

define("tendermint/crypto/proof.proto", globals())
