"""Messages of ibc/core/connection/v1/connection.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/connection/v1/connection.proto", globals())
