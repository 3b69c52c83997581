"""Messages of google/protobuf/any.proto, made from descriptors.binpb (generated)."""

from localnet.abci.pool import define

define("google/protobuf/any.proto", globals())
