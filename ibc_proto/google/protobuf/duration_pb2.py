"""Messages of google/protobuf/duration.proto, made from descriptors.binpb (generated)."""

from ibc_proto.pool import define

define("google/protobuf/duration.proto", globals())
