"""Random walks of our own chains, written as transcripts for ibc-go to judge (docs/conformance.md)."""
