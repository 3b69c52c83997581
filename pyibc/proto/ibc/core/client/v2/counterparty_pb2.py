"""Messages of ibc/core/client/v2/counterparty.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/core/client/v2/counterparty.proto", globals())
