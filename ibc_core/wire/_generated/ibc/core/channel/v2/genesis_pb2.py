"""Messages of ibc/core/channel/v2/genesis.proto, made from descriptors.binpb (generated)."""

from ibc_core.wire.pool import define

define("ibc/core/channel/v2/genesis.proto", globals())
