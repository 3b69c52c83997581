"""HTTP servers for strangers' requests: connections, seconds and bytes bounded; know nothing of IBC.

bounded     so many connections at once, so many seconds a request
server      GET alone, by routes: metrics, health, the index's page
"""

__distribution__ = "pyibc"
