"""Messages of google/protobuf/duration.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("google/protobuf/duration.proto", globals())
