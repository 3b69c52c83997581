"""Implementation of direct calls (ICS-4's first text, ICS-25) over the standard handlers."""
