"""Light clients: is this header, this proof, true (ICS-2)."""
