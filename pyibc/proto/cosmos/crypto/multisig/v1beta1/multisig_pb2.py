"""Messages of cosmos/crypto/multisig/v1beta1/multisig.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/crypto/multisig/v1beta1/multisig.proto", globals())
