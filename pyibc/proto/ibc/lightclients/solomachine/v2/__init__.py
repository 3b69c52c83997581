"""Messages below ibc/lightclients/solomachine/v2/ (generated)."""
