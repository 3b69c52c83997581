"""The applications that are included; they register through the same hooks as any other."""
