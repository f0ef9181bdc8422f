"""What a connection to a server is made of, for both kinds of client."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

import grpc

from ladder.client._samples import LEAST_MAX_MESSAGE_BYTES
from ladder.client.errors import LadderError
from ladder.client.options import Tls

_ROUND_ROBIN = json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})
# The server allows one ping in 10 s.
_KEEPALIVE_MS = 30_000
_KEEPALIVE_TIMEOUT_MS = 10_000
# gRPC's own is two minutes, long after a server is back.
_LONGEST_RECONNECT_MS = 5_000
_FIRST_RECONNECT_MS = 200


def channel_options(max_message_bytes: int, tls: Tls | None) -> list[tuple[str, Any]]:
    if max_message_bytes < LEAST_MAX_MESSAGE_BYTES:
        raise ValueError(f"max_message_bytes: expected at least {LEAST_MAX_MESSAGE_BYTES}, got {max_message_bytes}")
    options: list[tuple[str, Any]] = [
        ("grpc.service_config", _ROUND_ROBIN),
        ("grpc.max_send_message_length", max_message_bytes),
        ("grpc.max_receive_message_length", max_message_bytes),
        ("grpc.keepalive_time_ms", _KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", _KEEPALIVE_TIMEOUT_MS),
        ("grpc.http2.max_pings_without_data", 0),  # While a large group is worked on, nothing else is sent.
        ("grpc.initial_reconnect_backoff_ms", _FIRST_RECONNECT_MS),
        ("grpc.max_reconnect_backoff_ms", _LONGEST_RECONNECT_MS),
    ]
    if tls is not None and tls.server_name is not None:
        options.append(("grpc.ssl_target_name_override", tls.server_name))
    return options


def credentials(tls: Tls) -> grpc.ChannelCredentials:
    """OSError if a file cannot be read."""

    def read(file: str | os.PathLike[str] | None) -> bytes | None:
        return None if file is None else pathlib.Path(file).read_bytes()

    return grpc.ssl_channel_credentials(read(tls.ca), read(tls.key), read(tls.certificate))


class Token:
    """A bearer token, or a file that has it and may change."""

    def __init__(self, token: str | os.PathLike[str] | None) -> None:
        """OSError if the file cannot be read, ValueError if there is no token in it."""
        self._token = token
        self._read()

    def metadata(self, group: str | None = None) -> tuple[tuple[str, str], ...]:
        """Of a call, which is about `group` if it is about one. LadderError if the file cannot be used any more."""
        try:
            token = self._read()
        except (OSError, ValueError) as error:
            raise LadderError(grpc.StatusCode.UNAUTHENTICATED, f"the token cannot be read: {error}", group) from error
        return () if token is None else (("authorization", f"Bearer {token}"),)

    def _read(self) -> str | None:
        if self._token is None:
            return None
        given = isinstance(self._token, str)
        token = str(self._token) if given else _first_token(pathlib.Path(self._token).read_text(encoding="ascii"))
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            # The token itself is nobody's business.
            where = "token" if given else os.fspath(self._token)
            raise ValueError(f"{where}: expected one token of printable ASCII characters without spaces")
        return token


def _first_token(text: str) -> str:
    """Of a file as servers have it: lines of a token or of a name and a token, between empty lines and comments."""
    for line in text.splitlines():
        words = line.split()
        if words and not words[0].startswith("#"):
            return words[-1]
    return ""
