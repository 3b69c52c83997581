"""Comparison of pyibc-native with the Python code it replaces, on corrupted input of every kind."""
