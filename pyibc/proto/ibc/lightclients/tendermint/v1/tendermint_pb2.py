"""Messages of ibc/lightclients/tendermint/v1/tendermint.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/lightclients/tendermint/v1/tendermint.proto", globals())
