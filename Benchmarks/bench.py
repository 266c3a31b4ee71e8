"""Measures the built programs, each next to something plain that is run in the same minute.

Absolute times are worth little on a shared machine: what counts are the ratios, and whether memory stays flat.
Runs as root, because its entries belong to several users. `make bench` calls it.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

OWNERS = range(5001, 5009)  # uids that may speak for many accounts each, as a mail server's does
ACCOUNTS = 1000  # of each
TOPIC = "com.example.Mail"


class Room:
    """A private installation: spool, queue and configuration."""

    def __init__(self, programs, base, push=""):
        self.programs, self.path = programs, pathlib.Path(base)
        self.new, self.queue = self.path / "spool/new", self.path / "state/doorbell.db"
        for name, mode in [("spool", 0o755), ("spool/new", 0o3733), ("spool/corrupt", 0o700), ("state", 0o2770)]:
            (self.path / name).mkdir()
            (self.path / name).chmod(mode)
        self.configuration = self.path / "doorbell.toml"
        self.configuration.write_text(
            f'[spool]\ndirectory = "{self.path}/spool"\ntrusted_uids = {[0, *OWNERS]}\n'
            f'[queue]\npath = "{self.queue}"\nmax_age = "24h"\n{push}')

    def command(self, program, *arguments):
        return [self.programs / program, "--config", self.configuration, *arguments]

    def publish(self, name, owner, user, folder="INBOX"):
        entry = {"v": 1, "user": user, "folder": folder, "uid": 0, "msg_id": f"<{name}@example.org>",
                 "at": int(time.time() * 1000)}
        temporary = self.new / f".{name}"
        file = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o640)
        os.write(file, (json.dumps(entry, separators=(",", ":")) + "\n").encode())
        os.fchown(file, owner, owner)
        os.close(file)
        os.rename(temporary, self.new / name)

    def fill(self, entries, owners=OWNERS, accounts=ACCOUNTS):
        """Entries of several users, who take turns."""
        for number in range(entries):
            owner = owners[number % len(owners)]
            turn = number // len(owners)
            user = f"u{owner}-{turn % accounts}"
            self.publish(f"{10**9 + number}", owner, user, f"Lists/{turn // accounts}")

    def count(self, sql, *values):
        """One number from the queue; 0 while there is none."""
        try:
            database = sqlite3.connect(f"file:{self.queue}?mode=ro", uri=True, timeout=10)
            with contextlib.closing(database):
                return database.execute(sql, values).fetchone()[0] or 0
        except sqlite3.OperationalError:
            return 0


class Watched:
    """A running program, and its memory and the time by how much of its work is done."""

    def __init__(self, command, environment=None):
        self.start = time.monotonic()
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
        self.errors = []
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()

    def memory(self):
        """VmRSS and VmHWM in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines())
        return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))

    def follow(self, progress, whole):
        """Prints memory at each tenth until the work or the program ends; gives the seconds it took."""
        tenth = 0
        while self.process.poll() is None and tenth < 10:
            done = progress()
            if done * 10 >= (tenth + 1) * whole:
                tenth = done * 10 // whole
                try:
                    rss, peak = self.memory()
                except (FileNotFoundError, KeyError):
                    break
                seconds = time.monotonic() - self.start
                print(f"    {tenth * 10:3} %  {seconds:7.1f} s  VmRSS {rss:6.1f} MiB  VmHWM {peak:6.1f} MiB", flush=True)
            time.sleep(0.2)
        return time.monotonic() - self.start

    def wait(self):
        code = self.process.wait()
        if code:
            raise SystemExit(f"bench: {self.process.args[0]} ended with {code}: {b''.join(self.errors[-3:]).decode()}")
        return time.monotonic() - self.start

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def plain_drain(room, entries):
    """What the drain does, without a check and without a watch: seconds for one entry."""
    room.fill(entries)
    start = time.monotonic()
    database = sqlite3.connect(room.path / "plain.db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE notices (id INTEGER PRIMARY KEY, owner, name BLOB, user, folder, at, UNIQUE (owner, name))")
    names = sorted(os.listdir(room.new))
    for first in range(0, len(names), 100):
        batch = names[first:first + 100]
        database.execute("BEGIN IMMEDIATE")
        for name in batch:
            with open(room.new / name, "rb") as file:
                owner, entry = os.fstat(file.fileno()).st_uid, json.loads(file.read())
            database.execute(
                "INSERT INTO notices (owner, name, user, folder, at) VALUES (?, ?, ?, ?, ?)",
                (owner, name.encode(), entry["user"], entry["folder"], entry["at"]))
        database.execute("COMMIT")
        for name in batch:
            os.unlink(room.new / name)
    database.close()
    return (time.monotonic() - start) / entries


def backlog(room, entries):
    """A backlog of several users' entries is drained."""
    print(f"\nBacklog: {entries} entries of {len(OWNERS)} uids and {len(OWNERS) * ACCOUNTS} accounts, spool-drain --once", flush=True)
    plain = plain_drain(room, min(entries, 20_000))
    room.fill(entries)
    drain = Watched(room.command("spool-drain", "--once"))
    drain.follow(lambda: room.count("SELECT max(id) FROM notices"), entries)
    each = drain.wait() / entries
    left = len(os.listdir(room.new))
    rows = room.count("SELECT count(*) FROM notices")
    print(f"  {1 / each:.0f} entries/s; {each / plain:.2f} times a plain loop of Python and sqlite3 ({1 / plain:.0f}/s)")
    print(f"  {rows} rows, {left} entries left", flush=True)


def fan_out(room, rows, simulator):
    """A queue full of notices is fanned out, and what rings is sent."""
    devices = [f"u{owner}-{number}" for owner in OWNERS for number in range(0, ACCOUNTS, 100)]
    for number, user in enumerate(devices):
        subprocess.run(
            [room.programs / "doorbell", "--config", room.configuration, "device", "add", "--user", user, "--folders", "*"],
            input=f"{number:064x}", text=True, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(f"\nQueue: {rows} notices fanned out, {len(devices)} devices of as many accounts, dispatch --once", flush=True)
    host = f"127.0.0.1:{simulator['port']}"
    dispatch = Watched(
        room.command("dispatch", "--once"),
        {"DOORBELL_APNS_HOST": f"production={host},sandbox={host}", "DOORBELL_APNS_CA": simulator["ca_file"]})
    dispatch.follow(lambda: room.count("SELECT sum(count) FROM ends"), rows)
    took = dispatch.wait()
    sent = room.count("SELECT sum(count) FROM ends WHERE end = 'sent'")
    print(f"  {rows / took:.0f} notices/s; {sent} deliveries sent", flush=True)


def latency(room, newcomer):
    """Milliseconds from publishing to the commit."""
    room.publish(newcomer, 6001, "daemon")
    start = time.monotonic()
    database = sqlite3.connect(f"file:{room.queue}?mode=ro", uri=True, timeout=10)
    sql = "SELECT 1 FROM notices WHERE owner_uid = 6001 AND spool_name = ?"
    while not database.execute(sql, (newcomer.encode(),)).fetchone():
        if time.monotonic() - start > 120:
            raise SystemExit("bench: an entry wasn't drained within 120 s")
        time.sleep(0.001)
    database.close()
    return (time.monotonic() - start) * 1000


def fairness(make_room, entries):
    """How long another user's wake takes while one user's flood is there, as a ratio to an empty spool."""
    print(f"\nFairness: another user's wake beside {entries} entries of one uid", flush=True)
    medians = {}
    for title, accounts in [("nothing", 0), ("a flood that is drained", ACCOUNTS), ("a flood that is held back", 1)]:
        room = make_room()
        text = room.configuration.read_text().replace("trusted_uids = [0,", "trusted_uids = [0, 6001,")
        room.configuration.write_text(text)
        if accounts:
            room.fill(entries, owners=[5001], accounts=accounts)
        drain = Watched(room.command("spool-drain"))
        while not room.count("SELECT max(id) FROM notices") and accounts:
            time.sleep(0.05)
        held = "SELECT count(*) FROM notices"
        if accounts == 1:  # until all that has room is there
            while room.count(held) < min(entries, 10_000):
                time.sleep(0.2)
            time.sleep(1)
        elif not accounts:
            time.sleep(1)
        used, start = os.times(), time.monotonic()
        ticks = lambda: sum(map(int, pathlib.Path(f"/proc/{drain.process.pid}/stat").read_text().split()[13:15]))
        before = ticks()
        times = []
        while len(times) < 15 and (accounts != ACCOUNTS or room.count(held) < entries * 0.9):
            times.append(latency(room, f"{3 * 10**9 + len(times)}"))
            time.sleep(0.5)
        share = (ticks() - before) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - start)
        drain.stop()
        medians[title] = statistics.median(times)
        ratio = medians[title] / medians["nothing"]
        print(f"  beside {title}: median {medians[title]:.1f} ms, worst {max(times):.0f} ms of {len(times)}; "
              f"{ratio:.0f} times; the drain used {share:.2f} of a core", flush=True)
        shutil.rmtree(room.path)


def hook(room, runs=300):
    """What the hook costs a delivery, next to the smallest program there is."""
    mail = b"From: a@example.org\nMessage-ID: <1@example.org>\n\n" + b"x" * 5000

    def once(command):
        start = time.monotonic()
        subprocess.run(command, input=mail, check=True)
        return time.monotonic() - start

    enqueue = [room.programs / "spool-enqueue", "--strict", "--spool", room.path / "spool", "daemon"]
    pairs = [(once(["/bin/true"]), once(enqueue)) for _ in range(runs)]
    true, ours = (statistics.median(times) for times in zip(*pairs))
    print(f"\nHook: {ours * 1000:.2f} ms for a mail of 5 KB, flushed twice; {ours / true:.2f} times /bin/true", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--parts", nargs="+", choices=["hook", "fairness", "backlog"], default=["hook", "fairness", "backlog"])
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    base = pathlib.Path(tempfile.mkdtemp(prefix="doorbell-bench."))
    numbers = iter(range(1000))

    def make_room(push=""):
        path = base / str(next(numbers))
        path.mkdir()
        return Room(options.programs, path, push)

    simulator = subprocess.Popen(
        [options.programs / "apns-simulator", "--port", "0", "--directory", base / "apple"], stdout=subprocess.PIPE)
    try:
        apple = json.loads(simulator.stdout.readline())
        # Nobody reads what it records.
        threading.Thread(target=lambda: [None for _ in simulator.stdout], daemon=True).start()
        push = "".join(f'{name} = "{apple[name]}"\n' for name in ("key_file", "key_id", "team_id"))
        if "hook" in options.parts:
            hook(make_room())
        if "fairness" in options.parts:
            fairness(make_room, min(options.entries, 100_000))
        if "backlog" in options.parts:
            room = make_room(f'[push]\n{push}topic = "{TOPIC}"\n')
            backlog(room, options.entries)
            fan_out(room, options.entries, apple)
    finally:
        simulator.kill()
        shutil.rmtree(base)


if __name__ == "__main__":
    main()
