"""Messages of ibc/lightclients/solomachine/v2/solomachine.proto, made from descriptors.binpb (generated)."""

from pyibc.proto.pool import define

define("ibc/lightclients/solomachine/v2/solomachine.proto", globals())
