"""Errors of a release."""


class ReleaseError(Exception):
    """The release cannot be made of this tree or on this machine: its text says why and what to do."""


class NotReproducible(ReleaseError):
    """Two builds of one commit differ."""


class CheckFailed(ReleaseError):
    """A built file must not be published as it is."""


class TrialFailed(ReleaseError):
    """An extra cannot be installed or used in an empty environment."""
