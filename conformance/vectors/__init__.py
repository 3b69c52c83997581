"""One runner a family of conformance vectors."""
