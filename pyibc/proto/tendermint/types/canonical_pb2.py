"""Messages of tendermint/types/canonical.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("tendermint/types/canonical.proto", globals())
