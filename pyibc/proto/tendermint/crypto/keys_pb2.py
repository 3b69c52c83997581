"""Messages of tendermint/crypto/keys.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/crypto/keys.proto", globals())
