"""Configuration of a daemon: its file, the rules of it, and the conversion from Hermes."""
