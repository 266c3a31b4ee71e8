"""An account that tries every trick on the spool: attacker.py NEW OWN_NAME VICTIM_NAME VICTIMS_FILE SECRET.

Prints "allowed: ..." for what the system should have refused, and "ready" once the traps are set. Then it exchanges
an entry for a link to the secret and back under the reader's hands, prints "done", and holds a lease until it is ended.
"""

import fcntl
import json
import os
import signal
import socket
import sys

new, me, victim, victims_file, secret = sys.argv[1:]


def path(name):
    return os.path.join(new, name)


def entry(user, **more):
    members = {"v": 1, "user": user, "folder": "INBOX", "uid": 0, "msg_id": "", "at": 1790000000000}
    return json.dumps(members | more).encode() + b"\n"


def publish(name, content, mode=0o644):
    with open(path(name), "xb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)


def attempt(what, action):
    try:
        action()
        print("allowed:", what)
    except PermissionError:
        pass


attempt("list", lambda: os.listdir(new))
attempt("read", lambda: open(path("victims")))
attempt("unlink", lambda: os.unlink(path("victims")))
attempt("rename", lambda: os.rename(path("victims"), path("mine")))
publish("over", entry(me))
attempt("replace", lambda: os.rename(path("over"), path("victims")))
attempt("link to another directory", lambda: os.link(path("victims"), path("../corrupt/victims")))
attempt("remove the spool", lambda: os.rename(new, new + ".away"))

publish("forged", entry(victim))
publish("forged-twice", entry(me)[:-2] + b',"user":"' + victim.encode() + b'"}\n')
publish("forged-escaped", entry(victim + "\u0000"))
publish("deep", b"[" * 4095 + b"\n")
publish("huge-number", entry(me)[:-2] + b',"x":' + b"9" * 3000 + b"}\n")
publish("control", entry(me, folder="a\r\nb: c"))
publish("not-utf8", entry(me, folder="~").replace(b"~", b"\xff"))
publish("closed", entry(me), mode=0)
publish("sparse", b"")
os.truncate(path("sparse"), 1 << 40)
os.symlink(secret, path("symlink"))
os.symlink(victims_file, path("symlink-to-entry"))
os.symlink(new, path("symlink-to-directory"))
os.mkfifo(path("fifo"))
socket.socket(socket.AF_UNIX).bind(path("socket"))
try:
    os.link(victims_file, path("linked"))
except PermissionError:  # fs.protected_hardlinks
    publish("linked", entry(me))
    os.link(path("linked"), path("linked-too"))
os.mkdir(path("empty"))
os.mkdir(path("full"))
os.mkdir(path("full/x"))
os.chmod(path("full"), 0o777)
publish("\n\x1b[2J 2026-01-01T00:00:00.000Z root uid=0 linked", b"x\n")

signal.signal(signal.SIGIO, signal.SIG_IGN)
leased = open(path("leased"), "xb")
leased.write(entry(me))
leased.flush()
fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("ready", flush=True)

for turn in range(300):
    publish(".race", entry(me))
    os.rename(path(".race"), path("race"))
    os.symlink(secret, path(".race"))
    os.rename(path(".race"), path("race"))
print("done", flush=True)
signal.pause()
