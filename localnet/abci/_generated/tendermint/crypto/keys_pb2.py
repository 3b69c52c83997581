"""Messages of tendermint/crypto/keys.proto, made from descriptors.binpb (generated)."""

from localnet.abci.pool import define

define("tendermint/crypto/keys.proto", globals())
