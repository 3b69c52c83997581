"""Messages of cosmos/base/query/v1beta1/pagination.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/base/query/v1beta1/pagination.proto", globals())
