"""Messages of google/protobuf/duration.proto, made from descriptors.binpb (generated)."""

from abci_server.pool import define

define("google/protobuf/duration.proto", globals())
