"""Messages of cosmos/auth/v1beta1/query.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/auth/v1beta1/query.proto", globals())
