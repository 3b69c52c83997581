"""Messages of pyibc/node/v1/query.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("pyibc/node/v1/query.proto", globals())
