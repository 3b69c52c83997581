"""Messages of cosmos/crypto/ed25519/keys.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/crypto/ed25519/keys.proto", globals())
