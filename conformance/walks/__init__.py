"""Random walks of our chains, recorded as transcripts for ibc-go to verify (docs/conformance.md)."""
