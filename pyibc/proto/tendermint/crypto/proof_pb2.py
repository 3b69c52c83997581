"""Messages of tendermint/crypto/proof.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/crypto/proof.proto", globals())
