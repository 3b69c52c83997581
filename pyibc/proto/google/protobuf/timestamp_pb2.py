"""Messages of google/protobuf/timestamp.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("google/protobuf/timestamp.proto", globals())
