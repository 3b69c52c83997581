"""Messages of pyibc/queue_coins/v1/coins.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("pyibc/queue_coins/v1/coins.proto", globals())
