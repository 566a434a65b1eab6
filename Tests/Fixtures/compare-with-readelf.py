"""Compares what rebind-inspect says of files with what readelf says.

usage: compare-with-readelf.py REBIND-INSPECT SUBCOMMAND FILE...

Prints the first differences of each file, and at the end how many rows were equal.
"""

import json
import os
import re
import subprocess
import sys
from itertools import zip_longest


def readelf(option, path):
    result = subprocess.run(
        ["readelf", option, "-W", path], capture_output=True, env={**os.environ, "LC_ALL": "C"})
    return result.stdout.decode(errors="replace").splitlines()


def number(text):
    return int(text, 16) if text.startswith("0x") else int(text)


def sections(path, file):
    row = re.compile(
        r"\s*\[\s*(\d+)\] (.*?)\s+(\S+)\s+([0-9a-f]{8,16}) ([0-9a-f]{6,}) ([0-9a-f]{6,}) "
        r"([0-9a-f]{2,}) ([A-Zoplx ]{3,}?)\s+(\d+)\s+(\d+)\s+(\d+)$")
    theirs = []
    for line in readelf("-S", path):
        match = row.match(line)
        if match and match[3] != "NULL":
            index, name, kind, address, offset, size, entry, flags, link, info, align = (
                match.groups())
            theirs.append(
                (int(index), name, named(kind), int(address, 16), int(offset, 16), int(size, 16),
                 int(entry, 16), "".join(c for c in flags if c in "WAXMSILOGTCRE"), int(link),
                 int(info), int(align)))
    ours = [
        (s["index"], s["name"], named(s["type"]), int(s["address"], 16), int(s["offset"], 16),
         s["size"], s["entrySize"], s["flags"], s["link"], s["info"], s["alignment"])
        for s in file["sections"]]
    return ours, theirs


def named(kind):
    """A name that both have; not every version of readelf knows all."""
    # It has its own way to write numbers, and fewer names for those of LLVM and of machines.
    if "+" in kind or kind.startswith(("LLVM_", "LOOS", "LOPROC", "<")):
        return "?"
    return {"EXIDX": "ARM_EXIDX", "RISCV_ATTRIBUT": "RISCV_ATTRIBUTES"}.get(kind, kind)


def segments(path, file):
    theirs, mapping, interpreter = [], {}, None
    row = re.compile(
        r"  (\S+)\s+0x([0-9a-f]+) 0x([0-9a-f]+) 0x([0-9a-f]+) 0x([0-9a-f]+) 0x([0-9a-f]+) "
        r"(.{3}) (0x[0-9a-f]+|0)$")
    for line in readelf("-l", path):
        match = row.match(line)
        if match:
            kind, *numbers, mode, align = match.groups()
            mode = "".join(
                a if b in mode else "-" for a, b in (("r", "R"), ("w", "W"), ("x", "E")))
            theirs.append([named(kind), *(int(n, 16) for n in numbers), mode, number(align)])
        match = re.match(r"\s+\[Requesting program interpreter: (.*)\]", line)
        if match:
            interpreter = match[1]
        match = re.match(r"   (\d\d+)    ?(.*)", line)
        if match:
            mapping[int(match[1])] = match[2].split()
    theirs = [tuple(row + [" ".join(mapping.get(i, []))]) for i, row in enumerate(theirs)]
    ours = [
        (named(s["type"]), int(s["offset"], 16), int(s["address"], 16),
         int(s["physicalAddress"], 16), s["fileSize"], s["memorySize"], s["permissions"],
         s["alignment"], " ".join(s["sections"]))
        for s in file["segments"]]
    return ours + [file["interpreter"]], theirs + [interpreter]


def dynamic(path, file):
    theirs = []
    for line in readelf("-d", path):
        match = re.match(r" 0x([0-9a-f]+) \((.*?)\)\s+(.*)$", line)
        if not match or match[2] == "NULL":
            continue
        tag, name, text = int(match[1], 16), match[2], match[3]
        value = string = None
        if "[" in text:
            string = text[text.index("[") + 1:-1]
        elif re.match(r"0x[0-9a-f]+$", text):
            value = int(text, 16)
        elif re.match(r"\d+( \(bytes\))?$", text):
            value = int(text.split()[0])
        elif name in ("FLAGS", "FLAGS_1"):
            value = " ".join(sorted(text.replace("Flags:", "").split()))
        theirs.append((tag, value, string))
    ours = []
    for entry in file["dynamic"]:
        value = int(entry["value"], 16)
        if entry["flags"] is not None:
            value = " ".join(sorted(entry["flags"]))
        elif entry["string"] is not None:
            value = None
        ours.append((entry["tagValue"], value, entry["string"]))
    # What readelf writes in words of its own.
    ours = [
        (tag, value if them[1] is not None else None, string)
        for (tag, value, string), them in zip_longest(ours, theirs, fillvalue=(None, None, None))]
    return ours + versions(file), theirs + readelf_versions(path)


def versions(file):
    flags = lambda v: {0: "none", 1: "BASE", 2: "WEAK"}.get(v["flagsValue"], "?")
    rows = []
    for v in file["versionDefinitions"]:
        rows.append(("defines", v["index"], v["name"], flags(v), *v["parents"]))
    for need in file["versionNeeds"]:
        for v in need["versions"]:
            rows.append(("needs", need["file"], v["index"], v["name"], flags(v)))
    return rows


def readelf_versions(path):
    rows, file = [], None
    for line in readelf("-V", path):
        match = re.match(
            r"\s+\S+: Rev: \d+\s+Flags: (.*?)\s+Index: (\d+)\s+Cnt: \d+\s+Name: (.*)$", line)
        if match:
            rows.append(("defines", int(match[2]), match[3], match[1].split()[-1]))
        match = re.match(r"\s+\S+: Parent \d+: (.*)$", line)
        if match:
            rows[-1] = (*rows[-1], match[1])
        match = re.match(r"\s+\S+: Version: \d+\s+File: (.*?)\s+Cnt:", line)
        if match:
            file = match[1]
        match = re.match(r"\s+\S+:\s+Name: (.*?)\s+Flags: (.*?)\s+Version: (\d+)$", line)
        if match:
            rows.append(("needs", file, int(match[3]), match[1], match[2].split()[-1]))
    # Definitions come first here.
    return sorted(rows, key=lambda row: row[0])


def notes(path, file):
    theirs, section = [], None
    for line in readelf("-n", path):
        match = re.match(r"Displaying notes found in: (.*)$", line)
        if match:
            section = match[1]
        match = re.match(r"Displaying notes found at", line)
        if match:
            section = None
        match = re.match(r"  (\S+) +0x([0-9a-f]{8})\t(.*)$", line)
        if match:
            theirs.append([section, match[1], int(match[2], 16)])
            if section == ".gnu.build.attributes":
                theirs.pop()
                continue
            line = match[3].split("\t", 1)[-1]
        text = line.strip()
        if not theirs:
            continue
        match = re.match(r"Build ID: ([0-9a-f]+)", text)
        if match:
            theirs[-1].append(match[1])
        match = re.match(r"OS: (.*), ABI: (.*)$", text)
        if match:
            theirs[-1] += [match[1], match[2]]
        match = re.match(r"(Provider|Name|Arguments): ?(.*)$", text)
        if match and theirs[-1][1] == "stapsdt":
            theirs[-1].append(match[2])
        match = re.match(r"Location: (\S+), Base: (\S+), Semaphore: (\S+)$", text)
        if match:
            theirs[-1] += [int(n, 16) for n in match.groups()]
        match = re.search(r"feature: (.*)$", text)
        if match:
            theirs[-1].append(" ".join(match[1].replace("<None>", "").split(", ")))
    ours = []
    for note in file["notes"]:
        # Attributes in names, which readelf decodes.
        if note["section"] == ".gnu.build.attributes":
            continue
        row, content = [note["section"], note["owner"], note["size"]], note["content"]
        kind = content and content["kind"]
        if kind == "buildID":
            row.append(content["buildID"])
        elif kind == "abiTag":
            row += [content["system"], content["version"]]
        elif kind == "probe":
            row += [content["provider"], content["name"], int(content["location"], 16),
                    int(content["base"], 16), int(content["semaphore"] or "0", 16),
                    content["arguments"]]
        elif kind == "properties":
            for property in content["properties"]:
                if property["type"].endswith("FEATURE_1_AND"):
                    row.append(" ".join(property["flags"]))
        ours.append(row)
    return ours, theirs


def relocations(path, file):
    width, theirs, packed = None, [], False
    row = re.compile(
        r"([0-9a-f]{8,16})  ([0-9a-f]{8,16}) (\S+)(?:\s+(.*))?$")
    for line in readelf("-r", path):
        if line.startswith("Relocation section"):
            packed = False
        if line.endswith(" offsets"):
            packed = True
            continue
        if packed and re.match(r"[0-9a-f]{8,16}$", line):
            theirs.append((int(line, 16), "RELR", "", None))
            continue
        match = row.match(line)
        if not match:
            continue
        address, kind, rest = int(match[1], 16), match[3], match[4] or ""
        symbol, addend = "", None
        # `value name@version + addend`, or the addend alone.
        # An IFUNC's value is its name with `()`.
        with_symbol = re.match(r"(?:[0-9a-f]{8,16}|\S*\(\))\s+(.*)$", rest)
        if with_symbol and re.match(r".*\s[+-] [0-9a-f]+$", rest):
            symbol, sign, addend = re.match(r"(.*) ([+-]) ([0-9a-f]+)$", with_symbol[1]).groups()
            addend = int(addend, 16) * (-1 if sign == "-" else 1)
        elif re.match(r"-?[0-9a-f]+$", rest):
            addend = int(rest, 16)
        elif with_symbol:
            symbol = with_symbol[1]
        symbol = symbol.strip()
        theirs.append((address, kind, symbol, addend))
    ours = []
    for table in file["relocations"]:
        for entry in table["entries"]:
            address = int(entry["address"], 16)
            if table["kind"] == "RELR":
                ours.append((address, "RELR", "", None))
                continue
            symbol = entry["symbol"] or ""
            if entry["version"]:
                symbol += "@" + entry["version"]
            ours.append((address, entry["type"], symbol, entry["addend"]))
    simple = lambda rows: sorted(
        (a, t.replace("JMP_SLOT", "JUMP_SLOT"), s.strip().replace("@@", "@"), d or 0)
        for a, t, s, d in rows)
    return simple(ours), simple(theirs)


def main():
    program, subcommand, *paths = sys.argv[1:]
    process = subprocess.Popen(
        [program, subcommand, "--format", "jsonl", *paths], stdout=subprocess.PIPE)
    count = 0
    for line in process.stdout:
        file = json.loads(line)
        path = file["path"]
        if "error" in file:
            print(f"{path}: {file['error']['message']}")
            continue
        ours, theirs = globals()[subcommand](path, file)
        shown = 0
        for our, their in zip_longest(ours, theirs):
            if our == their:
                count += 1
            elif shown < 3:
                shown += 1
                print(f"{path}: ours {our}, theirs {their}")
    print(f"{count} rows are equal")


main()
