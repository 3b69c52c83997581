"""Messages of cosmos/staking/v1beta1/query.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/staking/v1beta1/query.proto", globals())
