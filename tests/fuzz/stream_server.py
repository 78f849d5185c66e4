"""A server that writes what a stream says, byte by byte: no HTTP library stands between, which would mend it."""

from __future__ import annotations

import select
import socket
import socketserver
import struct
import threading
import time
import zlib
from collections.abc import Callable
from typing import Any

from stream_maker import Stream
from stream_parts import Flood, Hold, Pause, Reset, Write

NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
FLOOD_SECONDS = 20.0
"""After which even a flood ends: the client should have left long before."""


class StreamServer(socketserver.ThreadingTCPServer):
    """answer: gives the stream for the next request; asked with its body and the port that it came from."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    allow_reuse_address = True

    def __init__(self, answer: Callable[[bytes, int], Stream | None]) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.answer = answer
        self.stopped = threading.Event()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def root_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def stop(self) -> None:
        self.stopped.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is part of the trial."""


class _Connection(socketserver.BaseRequestHandler):
    server: StreamServer
    request: socket.socket

    def handle(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request.settimeout(FLOOD_SECONDS)
        file = self.request.makefile("rb")
        while True:
            first = file.readline(65_536)
            if not first.strip():
                return
            length = 0
            while (line := file.readline(65_536)).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            stream = self.server.answer(file.read(length), self.client_address[1])
            if stream is None:
                self.request.sendall(NOT_FOUND)
            elif not (self._play(stream) and stream.is_kept):
                return

    def _play(self, stream: Stream) -> bool:
        """Do what the stream says; return whether the connection can be used further."""
        for action in stream.actions:
            match action:
                case Write(data):
                    self.request.sendall(data)
                case Pause(seconds):
                    time.sleep(seconds)
                case Hold():
                    self._wait_for_departure()
                    return False
                case Reset():
                    self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.request.close()
                    return False
                case Flood():
                    self._flood(action)
                    return False
        return True

    def _flood(self, flood: Flood) -> None:
        pack = zlib.compressobj(6, wbits=31) if flood.packed else None
        until = time.monotonic() + FLOOD_SECONDS
        while not self.server.stopped.is_set() and time.monotonic() < until:
            data = pack.compress(flood.data) + pack.flush(zlib.Z_SYNC_FLUSH) if pack else flood.data
            self.request.sendall(b"%x\r\n%s\r\n" % (len(data), data) if flood.chunked else data)

    def _wait_for_departure(self) -> None:
        until = time.monotonic() + FLOOD_SECONDS
        while not self.server.stopped.is_set() and time.monotonic() < until:
            readable, _, _ = select.select([self.request], [], [], 0.05)
            if readable and not self.request.recv(1, socket.MSG_PEEK):
                return
