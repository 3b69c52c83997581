"""Direct calls: the first text of ICS-4 and ICS-25, in which a module calls the handler itself."""
