"""Crash consistency of a chain's home: records all writes, and replays the states after a power cut."""
