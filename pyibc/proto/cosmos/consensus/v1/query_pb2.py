"""Messages of cosmos/consensus/v1/query.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/consensus/v1/query.proto", globals())
