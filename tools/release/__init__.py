"""Tools of a release: reproducible builds, checks, an SBOM, checksums, and trials in empty environments."""
