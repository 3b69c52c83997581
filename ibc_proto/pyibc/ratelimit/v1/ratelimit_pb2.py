"""Messages of pyibc/ratelimit/v1/ratelimit.proto, made from descriptors.binpb (generated)."""

from ibc_proto.pool import define

define("pyibc/ratelimit/v1/ratelimit.proto", globals())
