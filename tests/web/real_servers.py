"""A server that listens on a port, in a thread of the test process."""

import contextlib
import http.client
import socket
import threading
import time

import uvicorn
from visitors import PATIENCE, UNLIMITED, toy_catalogue
from websockets.sync.client import connect

from kibitz.web.app import make_app
from kibitz.web.listening import Doorkeeper, Listening, open_listener
from kibitz.web.listening import Patience as Patient
from kibitz.web.server import Server

ENDLESS = Patient(head=PATIENCE, body=PATIENCE, reader=PATIENCE)


class RealServer:
    """What clients do with it."""

    def __init__(self, server, port, listening):
        self.server, self.port, self.doorkeeper = server, port, listening.doorkeeper

    def dial(self, data=b""):
        """A raw connection over which something was sent."""
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        raw.sendall(data)
        return raw

    def say(self, data):
        """Everything that is answered to some bytes before the connection is closed."""
        with self.dial(data) as raw:
            return read_all(raw)

    def ask(self, method, path, body=None, **headers):
        """The answer to a request: status, headers and text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {key.replace("_", "-"): value for key, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def at(self, table, **more):
        return connect(f"ws://127.0.0.1:{self.port}/ws/{table}", open_timeout=PATIENCE, **more)

    def wait_until(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, "The test waits in vain."
            time.sleep(0.01)


def read_all(raw):
    """What comes over a connection until its end."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while part := raw.recv(65_536):
            received += part
    return received


@contextlib.contextmanager
def listening(doorkeeper=None, patience=ENDLESS, limits=UNLIMITED, **more):
    """A server with the toy games on a port of its own."""
    server = Server(toy_catalogue(), pace=0, warm=False, limits=limits, **more)
    config = Listening(make_app(server), Doorkeeper() if doorkeeper is None else doorkeeper, patience)
    running = uvicorn.Server(config)
    listener = open_listener("127.0.0.1", 0)
    port = listener.getsockname()[1]
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield RealServer(server, port, config)
    finally:
        running.should_exit = True
        thread.join()
