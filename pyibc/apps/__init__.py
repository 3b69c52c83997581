"""Applications and middleware that come with pyibc: a folder has all of an application.

Folders have the same layout: `messages` and `packet_data` (values, which off-chain programs may import),
`state`, `app` for channels and `app_v2` for IBC v2, or `middleware` and `middleware_v2`, `msg_server`,
`queries`, `genesis` and `plugin`. They use the same hooks as any other application.
"""

from pyibc._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
