"""The demo: two chains exchange packets, and their final state is audited."""
