"""Messages below ibc/lightclients/attestations/ (generated)."""
