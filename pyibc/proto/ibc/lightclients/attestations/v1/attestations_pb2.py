"""Messages of ibc/lightclients/attestations/v1/attestations.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/lightclients/attestations/v1/attestations.proto", globals())
