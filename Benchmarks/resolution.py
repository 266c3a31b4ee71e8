"""Measures how long a wake waits for its mail's uid, by back-end and size of the mailbox, with real Dovecot.

One mail at a time is filed into a Maildir and published; what is measured is the time until Apple's stand-in has the
request, through spool-drain and dispatch. What a back-end costs is the difference to a mail whose uid is known. Runs as
root, in a mount namespace of its own, on loopback. `make bench` calls it.
"""

import argparse
import contextlib
import json
import os
import pathlib
import queue
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from bench import Room

USER, UID = "mira", 20111
TOPIC = "com.example.Mail"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Village:
    """An /etc of its own, with Dovecot for one user."""

    def __init__(self, base):
        self.path, self.home = base, base / "home"
        self.maildir = self.home / "Maildir"
        self.imap, self.doveadm = free_port(), free_port()
        etc = base / "etc"
        (etc / "dovecot").mkdir(parents=True)
        for name in ("cur", "new", "tmp"):
            (self.maildir / name).mkdir(parents=True)
        etc.joinpath("passwd").write_text(
            f"root:x:0:0::/root:/bin/sh\n{USER}:x:{UID}:{UID}::{self.home}:/bin/sh\n"
            "dovecot:x:20121:20121::/nonexistent:/bin/false\ndovenull:x:20122:20122::/nonexistent:/bin/false\n")
        etc.joinpath("group").write_text(f"root:x:0:\nmail:x:8:\n{USER}:x:{UID}:\ndovecot:x:20121:\ndovenull:x:20122:\n")
        etc.joinpath("nsswitch.conf").write_text("passwd: files\ngroup: files\n")
        etc.joinpath("dovecot/master").write_text("doorbell:{PLAIN}secret::::::\n")
        etc.joinpath("dovecot/dovecot.conf").write_text(f"""
base_dir = {base}/run
state_dir = {base}/run
log_path = /dev/null
protocols = imap
ssl = no
mail_location = maildir:~/Maildir
namespace inbox {{
  inbox = yes
  separator = .
}}
passdb {{
  driver = passwd-file
  master = yes
  args = /etc/dovecot/master
}}
passdb {{
  driver = static
  args = password=secret
}}
userdb {{
  driver = passwd
}}
service imap-login {{
  inet_listener imap {{
    address = 127.0.0.1
    port = {self.imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service doveadm {{
  inet_listener http {{
    address = 127.0.0.1
    port = {self.doveadm}
  }}
}}
doveadm_api_key = secret
""")
        subprocess.run(["mount", "--bind", etc, "/etc"], check=True)
        self.server = subprocess.Popen(["/usr/sbin/dovecot", "-F"])
        deadline = time.monotonic() + 30
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.imap)):
                return
            if time.monotonic() > deadline:
                self.stop()
                raise SystemExit("bench: Dovecot doesn't start")
            time.sleep(0.1)

    def file(self, name, folder="new"):
        """Files a mail, and gives its file's name; names without a pattern, as Dovecot's hashes like them."""
        base = f"{int(time.time())}.M{random.randrange(10**6)}P{random.randrange(10**5)}V{random.getrandbits(48):x}.host"
        mail = f"From: ben@example.org\nSubject: {name}\nMessage-ID: <{name}@example.org>\n\n" + "x" * 2000
        temporary = self.maildir / "tmp" / base
        temporary.write_text(mail)
        os.chown(temporary, UID, UID)
        target = base if folder == "new" else base + ":2,S"
        temporary.rename(self.maildir / folder / target)
        return base

    def fill(self, count):
        for number in range(count):
            self.file(f"old-{number}-{random.getrandbits(64):x}", "cur")
        for path in [self.home, self.maildir, *self.maildir.iterdir()]:
            os.chown(path, UID, UID)
        # Dovecot's first look at a large mailbox is not what a wake waits for.
        subprocess.run(["/usr/bin/doveadm", "mailbox", "status", "-u", USER, "uidnext", "INBOX"], check=True,
                       stdout=subprocess.DEVNULL)

    def stop(self):
        self.server.terminate()
        self.server.wait()
        # The next one would be mounted upon it, and what is mounted upon can't be removed.
        subprocess.run(["umount", "--lazy", "/etc"], check=True)


class Bell:
    """Apple's stand-in: gives requests as they come."""

    def __init__(self, programs, base):
        self.process = subprocess.Popen(
            [programs / "apns-simulator", "--port", "0", "--directory", base / "apple"], stdout=subprocess.PIPE)
        self.apple = json.loads(self.process.stdout.readline())
        self.requests = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            record = json.loads(line)
            if record.get("event") == "request":
                self.requests.put((time.monotonic(), json.loads(record["body"])["msgRef"]))


def publish(room, name, **members):
    entry = {"v": 1, "user": USER, "folder": "INBOX", "uid": 0, "msg_id": "", "at": int(time.time() * 1000), **members}
    temporary = room.new / f".{name}"
    temporary.write_text(json.dumps(entry, separators=(",", ":")) + "\n")
    temporary.chmod(0o640)
    temporary.rename(room.new / name)


def measure(room, village, bell, environment, runs, section, clue):
    """Milliseconds from publishing to the request, one mail after the other, and how many had a uid."""
    room.configuration.write_text(room.base + section)
    programs = [subprocess.Popen(room.command(name), env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
                for name in ("spool-drain", "dispatch")]
    times, known = [], 0
    try:
        for number in range(runs + 3):
            # A folder rings a device 20 times at once, so it takes another one now and then.
            if number % 15 == 0:
                room.device = exchange(room, room.device)
            name = f"m{random.getrandbits(64):x}"
            filed = village.file(name)
            start = time.monotonic()
            publish(room, f"{int(time.time() * 10**6)}.{random.getrandbits(64):016x}", **clue(name, filed, number + 1))
            arrived, place = bell.requests.get(timeout=60)
            (village.maildir / "new" / filed).unlink()
            # The first ones open connections.
            if number >= 3:
                times.append((arrived - start) * 1000)
                known += place["uid"] > 0
    finally:
        for program in programs:
            program.terminate()
            program.wait()
    return times, known


def exchange(room, device):
    """Removes a device and registers another; gives its id."""
    doorbell = lambda *arguments, text=None: subprocess.run(
        room.command("doorbell", "device", *arguments), input=text, text=True, check=True, capture_output=True).stdout
    added = doorbell("add", "--user", USER, "--folders", "*", text=f"{random.getrandbits(256):064x}")
    if device:
        doorbell("remove", device)
    return re.search(r"\d+", added)[0]


def shown(times):
    times = sorted(times)
    return statistics.median(times), times[min(len(times) - 1, int(len(times) * 0.99))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--mails", type=int, nargs="*", default=[100, 20_000])
    options = parser.parse_args()
    if not os.environ.get("DOORBELL_BENCH_INSIDE"):
        os.environ["DOORBELL_BENCH_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, "-B", *sys.argv])
    base = pathlib.Path(tempfile.mkdtemp(prefix="doorbell-bench."))
    base.chmod(0o711)
    try:
        for count in options.mails:
            path = base / str(count)
            path.mkdir()
            measure_all(options.programs, path, count, options.runs)
    finally:
        shutil.rmtree(base)


def measure_all(programs, base, count, runs):
    print(f"\nA wake's way with {count} mails in the mailbox, {runs} mails each; the back-end's share is the difference"
          " to a known uid", flush=True)
    village, bell = Village(base / "village"), Bell(programs, base)
    try:
        village.fill(count)
        (base / "room").mkdir()
        push = "".join(f'{name} = "{bell.apple[name]}"\n' for name in ("key_file", "key_id", "team_id"))
        room = Room(programs, base / "room", f'[push]\n{push}topic = "{TOPIC}"\n')
        room.base, room.device = room.configuration.read_text(), None
        for name in ("password", "key"):
            (room.path / name).write_text("secret")
            (room.path / name).chmod(0o400)
        imap = (f'[dovecot]\nimap = "127.0.0.1:{village.imap}"\nmaster_user = "doorbell"\n'
                f'password_file = "{room.path}/password"\nbound = "10s"\n')
        doveadm = (f'[dovecot]\ndoveadm = "127.0.0.1:{village.doveadm}"\napi_key_file = "{room.path}/key"\n'
                   'bound = "10s"\n')
        host = f"127.0.0.1:{bell.apple['port']}"
        environment = {"DOORBELL_APNS_HOST": f"production={host},sandbox={host}",
                       "DOORBELL_APNS_CA": bell.apple["ca_file"]}
        message_id = lambda name, filed, number: {"msg_id": f"<{name}@example.org>"}
        file = lambda name, filed, number: {"filed": filed}
        known = lambda name, filed, number: {"uid": number, "uid_validity": 1}
        baseline = None
        for title, section, clue in [("uid known", "", known), ("IMAP, file", imap, file),
                                     ("IMAP, Message-ID", imap, message_id), ("doveadm, file", doveadm, file),
                                     ("doveadm, Message-ID", doveadm, message_id)]:
            times, uids = measure(room, village, bell, environment, runs, section, clue)
            median, worst = shown(times)
            baseline = baseline or median
            print(f"  {title:20} median {median:7.1f} ms, p99 {worst:7.1f} ms; share {median - baseline:7.1f} ms; "
                  f"{uids} of {runs} with a uid", flush=True)
    finally:
        village.stop()
        bell.process.kill()


main()
