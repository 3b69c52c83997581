"""What a power cut may leave of a home: every write of a chain is recorded, and the states replayed."""
