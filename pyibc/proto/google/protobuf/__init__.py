"""Messages below google/protobuf/ (generated)."""
