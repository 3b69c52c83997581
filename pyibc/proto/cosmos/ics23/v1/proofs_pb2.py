"""Messages of cosmos/ics23/v1/proofs.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/ics23/v1/proofs.proto", globals())
