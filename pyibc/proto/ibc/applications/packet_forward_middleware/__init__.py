"""Messages below ibc/applications/packet_forward_middleware/ (generated)."""
