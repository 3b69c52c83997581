"""Direct calls with capabilities, a plugin that a host may list (docs/embedding.md)."""

from ibc_module.direct.plugin import DirectPlugin as DirectPlugin
