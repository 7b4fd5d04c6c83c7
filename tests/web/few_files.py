"""More clients than the process of a server may open files; prints the status of a request afterwards."""

import contextlib
import resource
import socket

from real_servers import listening

FEW, MANY = 120, 300

with listening() as server:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, hard))
    clients = []
    try:
        for _ in range(MANY):
            clients.append(socket.create_connection(("127.0.0.1", server.port)))
    except OSError:
        pass  # half of the files are the clients' own
    waiting = clients.pop()  # its file is free for a moment, until the server accepts one of those who wait
    waiting.close()
    for client in clients:
        client.close()
    answers = []

    def is_answered() -> bool:
        with contextlib.suppress(ConnectionError):  # it has not noticed yet that the others are gone
            answers.append(server.ask("GET", "/api/logs"))
        return bool(answers)

    server.wait_until(is_answered)
    print(answers[0][0])
