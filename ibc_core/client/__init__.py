"""Light clients as the core sees them (ICS-2)."""
