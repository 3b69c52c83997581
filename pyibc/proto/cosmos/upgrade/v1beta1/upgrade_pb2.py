"""Messages of cosmos/upgrade/v1beta1/upgrade.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("cosmos/upgrade/v1beta1/upgrade.proto", globals())
