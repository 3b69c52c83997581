"""Messages of cosmos/tx/signing/v1beta1/signing.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/tx/signing/v1beta1/signing.proto", globals())
