"""Messages of tendermint/types/validator.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/types/validator.proto", globals())
