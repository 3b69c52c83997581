"""The plugin of direct calls."""
