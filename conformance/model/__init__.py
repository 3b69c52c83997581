"""Reference model of channels and packets, and the comparison of the real code with it."""
