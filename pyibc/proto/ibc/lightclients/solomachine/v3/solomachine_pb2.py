"""Messages of ibc/lightclients/solomachine/v3/solomachine.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/lightclients/solomachine/v3/solomachine.proto", globals())
