"""Compares what rebind-inspect says of files with what elfutils' eu-readelf says.

usage: compare-with-eu-readelf.py REBIND-INSPECT FILE...

Prints the first differences of each table of each file, and at the end how many rows were equal.
"""

import json
import re
import subprocess
import sys
from itertools import zip_longest

SUBCOMMANDS = ["symbols", "sections", "segments", "dynamic", "relocations", "notes"]
TITLES = {
    "Symbol table": "symbols", "Section Headers:": "sections", "Program Headers:": "segments",
    "Dynamic segment": "dynamic", "Relocation section": "relocations", "Note se": "notes"}


def eu_readelf(path):
    """The lines of each table."""
    command = ["eu-readelf", "-W", "-S", "-l", "-d", "-r", "-n", "--symbols=.dynsym", path]
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    tables, table = {name: [] for name in SUBCOMMANDS}, []
    for line in output.decode(errors="replace").splitlines():
        for title, name in TITLES.items():
            if line.startswith(title):
                table = tables[name]
        if line.startswith(" Section to Segment mapping"):
            table = []
        table.append(line)
    return tables


def kind(name):
    """A name that both have: eu-readelf has none for what is newer, and shorter ones."""
    return "?" if name.startswith(("<unknown>", "LOOS", "LOPROC", "LLVM_", "RELR")) else name


def symbols(file, lines):
    row = re.compile(
        r"\s*(\d+): ([0-9a-f]+) +(\d+) (\S+) +(\S+) +(\S+) +(\S+) (\S*)(?: \(\d+\))?$")
    theirs = []
    for line in lines:
        match = row.match(line)
        if match and match[1] != "0":
            number, value, size, of, binding, visibility, section, name = match.groups()
            # A version's own symbol has no version, as in the linker's eyes.
            name = re.sub(r"^(.*)@@\1$", r"\1", name) if section == "ABS" else name
            section = {"UNDEF": 0, "ABS": 0xfff1, "COMMON": 0xfff2}.get(section, section)
            theirs.append(
                (int(number), name, int(value, 16), int(size), of,
                 binding.replace("GNU_UNIQUE", "UNIQUE"), visibility, int(section)))
    ours = []
    for symbol in file["symbols"]:
        name = symbol["name"]
        if symbol["version"]:
            name += ("@@" if symbol["isDefaultVersion"] else "@") + symbol["version"]
        ours.append(
            (symbol["index"], name, int(symbol["value"], 16), symbol["size"],
             symbol["type"].replace("IFUNC", "GNU_IFUNC"), symbol["binding"],
             symbol["visibility"], symbol["sectionIndex"]))
    return ours, theirs


def sections(file, lines):
    row = re.compile(
        r"\[ *(\d+)\] (\S*) +(\S+(?: \d+)?) +([0-9a-f]{8,16}) ([0-9a-f]{6,}) ([0-9a-f]{6,}) +"
        r"(\d+) ([A-Zoplx]*) +(\d+) +(\d+) +(\d+)$")
    theirs = []
    for line in lines:
        match = row.match(line)
        if match and match[3] != "NULL":
            index, name, of, address, offset, size, entry, flags, link, info, align = (
                match.groups())
            theirs.append(
                (int(index), name, kind(of).replace("GNU_", "").upper(), int(address, 16),
                 int(offset, 16), int(size, 16), int(entry), set(flags) & set("WAXMSILGTCE"),
                 int(link), int(info), int(align)))
    ours = [
        (s["index"], s["name"], kind(s["type"]).replace("GNU_", ""), int(s["address"], 16),
         int(s["offset"], 16), s["size"], s["entrySize"], set(s["flags"]) & set("WAXMSILGTCE"),
         s["link"], s["info"], s["alignment"])
        for s in file["sections"]]
    return ours, theirs


def segments(file, lines):
    row = re.compile(r"  (\S+)\s+" + 5 * r"0x([0-9a-f]+) " + r"(.{3}) 0x([0-9a-f]+)$")
    theirs = []
    for line in lines:
        match = row.match(line)
        if match:
            of, *numbers, mode, align = match.groups()
            mode = "".join(a if a.upper() in mode.replace("E", "X") else "-" for a in "rwx")
            theirs.append((kind(of), *(int(n, 16) for n in numbers), mode, int(align, 16)))
    ours = [
        (kind(s["type"]), int(s["offset"], 16), int(s["address"], 16),
         int(s["physicalAddress"], 16), s["fileSize"], s["memorySize"], s["permissions"],
         s["alignment"])
        for s in file["segments"]]
    return ours, theirs


def dynamic(file, lines):
    theirs = []
    for line in lines:
        match = re.match(r"  (\S+(?: 0x[0-9a-f]+)?) +(.*)$", line)
        if not match or match[1] in ("Type", "NULL"):
            continue
        name, text, value = kind(match[1]), match[2].strip(), None
        if "[" in text:
            value = text[text.index("[") + 1:-1]
        elif re.match(r"0x[0-9a-f]+$", text):
            value = int(text, 16)
        elif re.match(r"\d+( \(bytes\))?$", text):
            value = int(text.split()[0])
        theirs.append((name, value))
    ours = []
    for entry, (name, value) in zip_longest(file["dynamic"], theirs, fillvalue=(None, None)):
        if entry == (None, None):
            break
        # Flags are words of each one's own.
        plain = entry["string"] if entry["string"] is not None else int(entry["value"], 16)
        ours.append((kind(entry["tag"]) if name != "?" else "?", plain if value is not None else None))
    return ours, theirs


def relocations(file, lines):
    # The name of a symbol may be missing, and has no version.
    row = re.compile(r"  0x([0-9a-f]+) +(\S+(?: \d+)?) +(?:0x)?([0-9a-f]+) +([+-]\d+)? ?(.*)$")
    theirs = []
    for line in lines:
        match = row.match(line)
        if match:
            address, of, _, addend, name = match.groups()
            theirs.append((int(address, 16), of, int(addend or 0), name.strip()))
    ours = []
    for table in file["relocations"]:
        if table["kind"] != "RELR":
            for entry in table["entries"]:
                of = entry["type"].removeprefix("R_")
                ours.append(
                    (int(entry["address"], 16), of, entry["addend"] or 0, entry["symbol"] or ""))
    return sorted(ours), sorted(theirs)


def notes(file, lines):
    theirs, section = [], None
    for line in lines:
        match = re.match(r"Note section \[ *\d+\] '(.*)' of", line)
        if match:
            section = match[1]
        match = re.match(r"  (\S*) +(\d+)  (\S+)", line)
        if match and section != ".gnu.build.attributes":
            theirs.append((section, match[1], int(match[2])))
        match = re.match(r"    Build ID: ([0-9a-f]+)", line)
        if match:
            theirs[-1] += (match[1],)
    ours = []
    for note in file["notes"]:
        if note["section"] == ".gnu.build.attributes":
            continue
        row, content = (note["section"], note["owner"], note["size"]), note["content"]
        if content and content["kind"] == "buildID":
            row += (content["buildID"],)
        ours.append(row)
    return ours, theirs


def main():
    program, *paths = sys.argv[1:]
    witness = {path: eu_readelf(path) for path in paths}
    count = 0
    for subcommand in SUBCOMMANDS:
        command = [program, subcommand, "--format", "jsonl", *paths]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        for line, path in zip_longest(process.stdout, paths):
            file = json.loads(line)
            assert file["path"] == path, f"{subcommand}: {path} is missing"
            ours, theirs = globals()[subcommand](file, witness[path][subcommand])
            shown = 0
            for our, their in zip_longest(ours, theirs):
                if our == their:
                    count += 1
                elif shown < 3:
                    shown += 1
                    print(f"{subcommand} {path}: ours {our}, theirs {their}")
    print(f"{count} rows are equal")


main()
