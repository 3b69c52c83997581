"""Transcripts of ibc-go chains, fed to chains of ours and compared block by block."""
