"""Messages below ibc/lightclients/ (generated)."""
