"""Messages of ibc/applications/rate_limiting/v1/tx.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/applications/rate_limiting/v1/tx.proto", globals())
