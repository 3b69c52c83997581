"""Messages of ibc/core/commitment/v1/commitment.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/commitment/v1/commitment.proto", globals())
