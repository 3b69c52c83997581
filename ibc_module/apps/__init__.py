"""Applications of our own; they register through the same hooks as a stranger's."""
