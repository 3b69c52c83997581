"""The base of what is raised before a chain runs."""


class SetupError(ValueError):
    """A host's program or genesis is wrong: raised while it is wired or started, never by a running chain."""
