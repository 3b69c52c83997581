"""Messages of google/protobuf/duration.proto, made from descriptors.binpb (generated)."""

from localnet.abci.pool import define

define("google/protobuf/duration.proto", globals())
