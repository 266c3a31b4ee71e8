"""Fetches messages over IMAP: fetch.py PORT, with lines of USER, FOLDER and UID, separated by tabs, on standard input.

Prints for each UIDVALIDITY and Message-ID, or `-` where there is no such message.
"""

import base64
import imaplib
import re
import sys


def encoded(folder):
    """RFC 3501, section 5.1.3."""
    def shifted(run):
        return "&" + base64.b64encode(run[0].encode("utf-16-be")).decode().rstrip("=").replace("/", ",") + "-"
    return re.sub(r"[^ -~]+", shifted, folder.replace("&", "&-"))


for line in sys.stdin.read().splitlines():
    user, folder, uid = line.split("\t")
    server = imaplib.IMAP4("127.0.0.1", int(sys.argv[1]))
    server.login(user, "secret")
    server.select('"' + encoded(folder).replace("\\", "\\\\").replace('"', '\\"') + '"', readonly=True)
    validity = server.response("UIDVALIDITY")[1][0]
    found = server.uid("FETCH", uid, "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")[1][0]
    header = found[1].decode() if found else "-"
    print((validity or b"-").decode(), header.partition(":")[2].strip() or "-")
    server.logout()
