"""Messages of ibc/applications/interchain_accounts/v1/metadata.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/applications/interchain_accounts/v1/metadata.proto", globals())
