"""Messages of ibc/core/channel/v1/query.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/channel/v1/query.proto", globals())
