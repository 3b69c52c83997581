"""Messages of ibc/core/client/v1/query.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/client/v1/query.proto", globals())
