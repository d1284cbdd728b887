"""Fixtures of the Python tests; they live in fixtures.py, where mypy reads them."""

from fixtures import address, no_server_warnings, private_server, server  # noqa: F401
