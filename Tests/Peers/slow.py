"""Stands before a server and passes everything on late: slow.py PORT SECONDS. Prints where it listens."""

import socket
import sys
import threading
import time

port, delay = int(sys.argv[1]), float(sys.argv[2])


def pass_on(source, target):
    while data := source.recv(65536):
        time.sleep(delay)
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)


def quietly(source, target):
    try:
        pass_on(source, target)
    except OSError:
        pass


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    client = listener.accept()[0]
    server = socket.create_connection(("127.0.0.1", port))
    for pair in [(client, server), (server, client)]:
        threading.Thread(target=quietly, args=pair, daemon=True).start()
