"""Messages of ibc/core/client/v1/client.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/client/v1/client.proto", globals())
