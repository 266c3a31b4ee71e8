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
    columns = {
        "notices": "id, user, folder, uid, message_id",
        "deliveries": "id, device, attempts, end, reason, apns_id",
    }
    for table, names in columns.items():
        key = "id" if table == "notices" else "notice"
        for row in query(path, f"SELECT {names} FROM {table} WHERE {key} = ?", notice):
            print(f"     {table}: " + "  ".join(f"{name} {row[name]}" for name in row.keys()))


def request():
    """The request on standard input and its answer, as the simulator recorded them."""
    seen = json.load(sys.stdin)
    for name, value in seen["headers"]:
        print(f"     {name} {value}")
    print(f"     {seen['body']}")
    claims = "  ".join(f"{name} {value}" for name, value in (seen["provider_token"] or {}).items())
    print(f"   Answer: {seen['status']} {seen['reason'] or ''}  Provider token: {claims}")


def counters(*paths):
    """Every counter and gauge above zero."""
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            if not line.startswith("#") and "_bucket{" not in line and not line.endswith(" 0"):
                print(f"  {line}")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
