"""The demo: two chains, real packets, and a story that its own state must bear out."""
