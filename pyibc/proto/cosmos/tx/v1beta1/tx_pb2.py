"""Messages of cosmos/tx/v1beta1/tx.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/tx/v1beta1/tx.proto", globals())
