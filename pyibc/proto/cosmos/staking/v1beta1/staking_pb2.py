"""Messages of cosmos/staking/v1beta1/staking.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/staking/v1beta1/staking.proto", globals())
