"""Messages of ibc/applications/interchain_accounts/genesis/v1/genesis.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/applications/interchain_accounts/genesis/v1/genesis.proto", globals())
