"""HTTP servers for untrusted clients, with bounded connections, time and size; independent of IBC.

bounded     limits on connections and on the time of a request
server      GET only, with routes: metrics, health, the index's page
"""
