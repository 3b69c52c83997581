"""Messages of ibc/core/client/v2/config.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/client/v2/config.proto", globals())
