"""Messages below ibc/lightclients/solomachine/ (generated)."""
