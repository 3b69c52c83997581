"""Messages below ibc/lightclients/attestations/v1/ (generated)."""
