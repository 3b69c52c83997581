"""Messages of pyibc/channel/v1/tx.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("pyibc/channel/v1/tx.proto", globals())
