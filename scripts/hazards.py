"""Compares Tests/HAZARDS.md with the tests: each one it names must be there, and each "Hazard N" must be in it."""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent / "Tests"
# @Test("Hazard 7: sentence"), @Test("Hazards 44, 51 and 66: sentence"), @Test("Hazards 44 to 46: sentence")
TITLE = re.compile(r'"Hazards? (\d[\d, andto]*): ((?:[^"\\]|\\.)*)"')
ROW = re.compile(r"^\| (\d+) \|.*\|$", re.MULTILINE)
NAMED = re.compile(r"\]\((\S+\.swift)\): (.*?)(?=<br>| \|$)")


def numbers(text):
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", text):
        yield from range(int(first), int(last or first) + 1)


def tests():
    for file in TESTS.rglob("*.swift"):
        for title in TITLE.finditer(file.read_text()):
            for number in numbers(title[1]):
                yield number, str(file.relative_to(TESTS)), title[2]


def named():
    for row in ROW.finditer((TESTS / "HAZARDS.md").read_text()):
        for file, sentence in NAMED.findall(row[0]):
            yield int(row[1]), file, sentence


there, listed = set(tests()), set(named())
for number, file, sentence in sorted(there - listed):
    print(f"Tests/HAZARDS.md: hazard {number} doesn't name {file}: {sentence}")
for number, file, sentence in sorted(listed - there):
    print(f"Tests/HAZARDS.md: hazard {number} names what isn't in {file}: {sentence}")
sys.exit(there != listed)
