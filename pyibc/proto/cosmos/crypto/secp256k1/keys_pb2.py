"""Messages of cosmos/crypto/secp256k1/keys.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/crypto/secp256k1/keys.proto", globals())
