"""Messages of ibc/applications/transfer/v1/authz.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/applications/transfer/v1/authz.proto", globals())
