"""Messages of cosmos/bank/v1beta1/bank.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/bank/v1beta1/bank.proto", globals())
