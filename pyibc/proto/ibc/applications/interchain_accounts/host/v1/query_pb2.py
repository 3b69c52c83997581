"""Messages of ibc/applications/interchain_accounts/host/v1/query.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/applications/interchain_accounts/host/v1/query.proto", globals())
