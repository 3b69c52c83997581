"""Two chains with everything half-done; tests look at them through stages, which commit nothing."""

import pytest

from localnet.testkit.scene import Scene


@pytest.fixture(scope="session")
def the_scene():
    return Scene()


@pytest.fixture
def scene(the_scene):
    """The scene, its applications agreeing to everything and called by nobody yet."""
    for side in (the_scene.a, the_scene.b):
        side.app.script.clear()
        side.app.calls.clear()
    return the_scene
