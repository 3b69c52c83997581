"""A reference host chain, its consensus, networks of several of them, and the faults we throw at them."""
