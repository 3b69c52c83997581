"""Messages below ibc/lightclients/solomachine/v3/ (generated)."""
