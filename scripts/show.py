"""Prints what the demo shows: parts of JSON lines, rows of the queue, counters."""

import json
import pathlib
import sqlite3
import sys


def field(name):
    """One field of the JSON object on standard input."""
    print(json.load(sys.stdin)[name])


def query(path, statement, *values):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    return database.execute(statement, values).fetchall()


def ended(path, notice):
    """Exit code 0 when every delivery of a notice has ended."""
    rows = query(path, "SELECT ended_at FROM deliveries WHERE notice = ?", notice)
    sys.exit(not rows or any(row["ended_at"] is None for row in rows))


def rows(path, notice):
    """A notice and its deliveries, as they stand in the queue."""
    for row in query(path, "SELECT * FROM notices WHERE id = ?", notice):
        print("     notice {id}: user {user}, folder {folder}, uid {uid}, {message_id}".format(**row))
    for row in query(path, "SELECT * FROM deliveries WHERE notice = ?", notice):
        print("     delivery {id}: to device {device}, attempt {attempts}, {end}: {reason}".format(**row))


def request(*private):
    """The request on standard input and its answer, as the simulator recorded them; fails on a private word."""
    record = sys.stdin.read()
    seen = json.loads(record)
    for name, value in seen["headers"]:
        print(f"     {name} {value}")
    print(f"     {seen['body']}")
    verdict = dict(seen["headers"])["authorization"].removeprefix("bearer ")
    claims = " ".join(f"{name} {value}" for name, value in seen["provider_token"].items())
    print(f"   Answer: {seen['status']}. Provider token {verdict}: {claims}.")
    found = [word for word in private if word in record]
    if found:
        sys.exit(f"the request holds {', '.join(found)}")
    print(f"   Not in it: {', '.join(private)}.")


def counters(*paths):
    """Every counter above zero."""
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            name = line.split(" ")[0].split("{")[0]
            if name.endswith(("_total", "_count")) and not line.endswith(" 0"):
                print(f"  {line}")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
