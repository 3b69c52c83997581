"""Messages of cosmos/base/abci/v1beta1/abci.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/base/abci/v1beta1/abci.proto", globals())
