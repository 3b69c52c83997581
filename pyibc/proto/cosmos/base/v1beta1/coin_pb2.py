"""Messages of cosmos/base/v1beta1/coin.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/base/v1beta1/coin.proto", globals())
