"""Messages of pyibc/queue/v1/queue.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("pyibc/queue/v1/queue.proto", globals())
