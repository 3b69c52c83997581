"""Messages of google/protobuf/any.proto, made from descriptors.binpb (generated)."""

from abci_server.pool import define

define("google/protobuf/any.proto", globals())
