"""Messages of google/protobuf/timestamp.proto, made from descriptors.binpb (generated)."""

from abci_server.pool import define

define("google/protobuf/timestamp.proto", globals())
