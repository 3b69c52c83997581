"""Messages of ibc/core/commitment/v2/commitment.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/commitment/v2/commitment.proto", globals())
