"""Messages of tendermint/crypto/proof.proto, made from descriptors.binpb (generated)."""

from ibc_core.wire.pool import define

define("tendermint/crypto/proof.proto", globals())
