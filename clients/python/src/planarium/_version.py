"""Version of the client; the server's own stands in ``Client.info().version``."""

__version__ = "0.1.0"
