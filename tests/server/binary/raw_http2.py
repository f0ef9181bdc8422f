"""Just enough of HTTP/2 to misbehave."""

import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
CANCEL = struct.pack(">I", 8)
END_STREAM, ACK = 1, 1
END_HEADERS = 4
INITIAL_WINDOW_SIZE = 4  # Of SETTINGS.
FIRST_WINDOW = 65535


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


def call_headers(stream, method, **more):
    """That begin a call."""
    fields = {":method": "POST", ":scheme": "http", ":path": method, ":authority": "localhost",
              "content-type": "application/grpc", "te": "trailers", **more}
    return frame(HEADERS, END_HEADERS, stream, b"".join(literal(*field) for field in fields.items()))


def message(data, size=None):
    """As gRPC frames it; `size` is what it says of itself."""
    return struct.pack(">BI", 0, len(data) if size is None else size) + data


class Sender:
    """Sends as much of its calls as the other side takes, and no more."""

    def __init__(self, connection):
        self._connection = connection
        self._unread = b""
        self._window = FIRST_WINDOW
        self._first_window = FIRST_WINDOW  # Of a new stream.
        self._windows = {}
        self.ended = set()  # Streams that the other side has ended.
        connection.sendall(PREFACE + frame(SETTINGS))

    def begin(self, stream, method, **headers):
        send(self._connection, call_headers(stream, method, **headers))
        self._windows[stream] = 0

    def send(self, stream, data):
        """False if the other side ends the call or hangs up first, or takes no more for a second."""
        data = memoryview(data)
        while data:
            room = min(len(data), 16384, self._window, self._windows[stream] + self._first_window)
            if stream in self.ended:
                return False
            if room <= 0:
                if not self.listen(1):
                    return False
                continue
            if not send(self._connection, frame(DATA, 0, stream, bytes(data[:room]))):
                return False
            data = data[room:]
            self._window -= room
            self._windows[stream] -= room
        return True

    def listen(self, seconds):
        """Takes in what comes within that time; false if nothing does."""
        self._connection.settimeout(seconds)
        try:
            data = self._connection.recv(65536)
        except (TimeoutError, ConnectionError):
            return False
        if not data:
            return False
        self._unread += data
        while len(self._unread) >= 9:
            size = int.from_bytes(self._unread[:3], "big")
            if len(self._unread) < 9 + size:
                break
            [(kind, flags, stream, payload)] = frames(self._unread[:9 + size])
            self._unread = self._unread[9 + size:]
            self._take(kind, flags, stream, payload)
        return True

    def _take(self, kind, flags, stream, payload):
        if kind == WINDOW_UPDATE:
            more = int.from_bytes(payload, "big")
            if stream == 0:
                self._window += more
            elif stream in self._windows:
                self._windows[stream] += more
        elif kind == SETTINGS and not flags & ACK:
            for at in range(0, len(payload), 6):
                name, value = struct.unpack(">HI", payload[at:at + 6])
                if name == INITIAL_WINDOW_SIZE:
                    self._first_window = value
            self._connection.sendall(frame(SETTINGS, ACK))
        elif kind == PING and not flags & ACK:
            self._connection.sendall(frame(PING, ACK, 0, payload))
        elif kind == RST_STREAM or (kind == HEADERS and flags & END_STREAM):
            self.ended.add(stream)


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
