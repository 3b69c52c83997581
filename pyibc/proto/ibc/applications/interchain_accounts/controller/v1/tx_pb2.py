"""Messages of ibc/applications/interchain_accounts/controller/v1/tx.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/applications/interchain_accounts/controller/v1/tx.proto", globals())
