"""A reference host chain, its consensus engine, nodes and networks of nodes, and the demo."""
