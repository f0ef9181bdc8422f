"""Just enough of HTTP/2 to misbehave."""

import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 1, 3, 4, 6, 7, 9
CANCEL = struct.pack(">I", 8)
END_HEADERS = 4


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name, value):
    """A header in HPACK's plainest form; both shorter than 127 bytes."""
    name, value = name.encode(), value.encode()
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def begin_of_long_value(name, size):
    """A header whose value is to follow, and is of `size` bytes, at least 127."""
    encoded, rest = b"\x7f", size - 127
    while rest >= 128:
        encoded, rest = encoded + bytes([rest % 128 + 128]), rest // 128
    return b"\0" + bytes([len(name)]) + name.encode() + encoded + bytes([rest])


def call_headers(stream, method):
    """That begin a call."""
    fields = {":method": "POST", ":scheme": "http", ":path": method, ":authority": "localhost",
              "content-type": "application/grpc", "te": "trailers"}
    return frame(HEADERS, END_HEADERS, stream, b"".join(literal(*field) for field in fields.items()))


def connect(test, address, limit_seconds):
    """A socket that is closed when the test is over."""
    result = socket.create_connection(address.split(":"), timeout=limit_seconds)
    test.addCleanup(result.close)
    return result


def send(connection, data):
    """False if the other side has hung up."""
    try:
        connection.sendall(data)
    except ConnectionError:
        return False
    return True


def read_to_end(connection):
    """All until the other side hangs up."""
    found = b""
    try:
        while data := connection.recv(65536):
            found += data
    except ConnectionError:
        pass
    return found


def frames(data):
    """(kind, flags, stream, payload) of each whole frame."""
    found = []
    while len(data) >= 9:
        size = int.from_bytes(data[:3], "big")
        kind, flags, stream = struct.unpack(">BBI", data[3:9])
        found.append((kind, flags, stream, data[9:9 + size]))
        data = data[9 + size:]
    return found
