"""Messages of google/protobuf/any.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("google/protobuf/any.proto", globals())
