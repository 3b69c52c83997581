"""Messages of cosmos/crypto/multisig/keys.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/crypto/multisig/keys.proto", globals())
