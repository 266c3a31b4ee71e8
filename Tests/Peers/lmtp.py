"""Hands the mail on standard input over by LMTP: lmtp.py SOCKET SENDER RECIPIENT...

Prints the server's reply for each recipient, and exits 1 when one of them wasn't served.
"""

import socket
import sys

path, sender, *recipients = sys.argv[1:]
server = socket.socket(socket.AF_UNIX)
server.connect(path)
stream = server.makefile("rwb")


def reply():
    while True:
        line = stream.readline()
        if line[3:4] != b"-":
            return line.decode().strip()


def say(command):
    stream.write(command.encode() + b"\r\n")
    stream.flush()
    return reply()


reply()
say("LHLO localhost")
say(f"MAIL FROM:<{sender}>")
taken = [say(f"RCPT TO:<{recipient}>").startswith("250") for recipient in recipients]
say("DATA")
for line in sys.stdin.buffer.read().splitlines():
    stream.write((b"." if line.startswith(b".") else b"") + line + b"\r\n")
stream.write(b".\r\n")
stream.flush()
replies = [reply() for served in taken if served]
print("\n".join(replies))
sys.exit(not (all(taken) and all(text.startswith("250") for text in replies)))
