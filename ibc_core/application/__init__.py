"""What an application and a middleware are, for channels and for IBC v2."""
