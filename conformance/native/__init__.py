"""pyibc-native against the Python that it stands in for: the same answers to spoilt input of every kind."""
