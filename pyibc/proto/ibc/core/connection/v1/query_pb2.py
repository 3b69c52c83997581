"""Messages of ibc/core/connection/v1/query.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/connection/v1/query.proto", globals())
