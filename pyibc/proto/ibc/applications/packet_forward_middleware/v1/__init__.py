"""Messages below ibc/applications/packet_forward_middleware/v1/ (generated)."""
