"""A WebSocket to a hub (RFC 6455) with the standard library: text frames, pings, closes."""

import base64
import hashlib
import os
import socket
import ssl
import struct
import threading
import urllib.parse

MESSAGE_MAX = 2 << 20


class Closed(Exception):
    def __init__(self, code, reason=""):
        super().__init__(f"{code} {reason}".strip())
        self.code = code


class Refused(Exception):
    """The upgrade request was not answered with a socket."""


class Link:
    def __init__(self, url, headers, protocols, timeout=40):
        parts = urllib.parse.urlsplit(url)
        secure = parts.scheme == "https"
        self.socket = socket.create_connection((parts.hostname, parts.port or (443 if secure else 80)), timeout)
        if secure:
            self.socket = ssl.create_default_context().wrap_socket(self.socket, server_hostname=parts.hostname)
        self.rest, self.lock = b"", threading.Lock()
        key = base64.b64encode(os.urandom(16)).decode()
        lines = {
            "Host": parts.netloc,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key,
            "Sec-WebSocket-Protocol": ", ".join(protocols),
            **headers,
        }
        request = f"GET {parts.path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self.socket.sendall((request + "\r\n").encode())
        head = b""
        while b"\r\n\r\n" not in head and len(head) < 65536:
            more = self.socket.recv(4096)
            if not more:
                raise Refused("the connection ended")
            head += more
        head, _, self.rest = head.partition(b"\r\n\r\n")
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        if not head.startswith(b"HTTP/1.1 101") or accept not in head:
            raise Refused(f"{head.splitlines()[0].decode(errors='replace')} {self.rest.decode(errors='replace')[:500]}")

    def take(self, count):
        while len(self.rest) < count:
            more = self.socket.recv(65536)
            if not more:
                raise Closed(1006)
            self.rest += more
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def send(self, text, opcode=1):
        data = text.encode() if isinstance(text, str) else text
        size = len(data)
        length = bytes([128 | size]) if size < 126 else struct.pack("!BH", 254, size) if size < 65536 else struct.pack("!BQ", 255, size)
        mask = os.urandom(4)
        masked = int.from_bytes(data, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        with self.lock:
            self.socket.sendall(bytes([128 | opcode]) + length + mask + masked.to_bytes(size, "big"))

    def receive(self):
        """The next text. Raises Closed at the end, and TimeoutError when nothing comes for long."""
        message = b""
        while True:
            first, second = self.take(2)
            size = second & 127
            if size > 125:
                size = int.from_bytes(self.take(2 if size == 126 else 8), "big")
            if size + len(message) > MESSAGE_MAX:
                raise Closed(1009, "a message that is too long")
            data = self.take(size)
            opcode = first & 15
            if opcode == 8:
                self.send(data[:2], 8)
                raise Closed(int.from_bytes(data[:2], "big") if size >= 2 else 1005, data[2:].decode(errors="replace"))
            if opcode == 9:
                self.send(data, 10)
            if opcode < 3:
                message += data
                if first & 128:
                    return message.decode()

    def close(self):
        self.socket.close()
