"""Relays packets between chains that it reads as any outsider does (ICS-18)."""
