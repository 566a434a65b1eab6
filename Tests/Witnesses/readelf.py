"""Reads the output of binutils' readelf for a file."""

import os
import re
import subprocess

from tables import (
    ATTRIBUTES, UNTOLD, Definition, Entry, Interpreter, Need, Note, Relocation, Section, Segment, Slot,
    Symbol, number_of, relocation_order)

OPTIONS = {
    "symbols": ["--dyn-syms"], "sections": ["-S"], "segments": ["-l"], "dynamic": ["-d", "-V"],
    "relocations": ["-r"], "slots": ["-r"], "notes": ["-n"]}

# The types that a loader fills with the address of a symbol, a word of a pointer's size.
SLOT = re.compile(
    r"R_\w+_(JUMP_SLOT|JMP_SLOT|GLOB_DAT)"
    r"|R_X86_64_64|R_386_32|R_AARCH64_ABS64|R_ARM_ABS32|R_PPC_ADDR32|R_PPC64_ADDR64|R_390_64|R_RISCV_64")


def read(path, tables):
    """The rows of each table."""
    options = [option for table in tables for option in OPTIONS[table]]
    command = ["readelf", "-W", *options, "--", path]
    output = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"}).stdout
    parts = split(output.decode(errors="surrogateescape").splitlines())
    return {table: globals()[table](parts) for table in tables}


TITLES = (
    ("Section Headers:", "sections"), ("Program Headers:", "segments"),
    ("Section to Segment mapping:", "mapping"), ("Dynamic section at", "dynamic"),
    ("Relocation section", "relocations"), ("Symbol table", "symbols"),
    ("Version ", "versions"), ("Displaying notes found", "notes"))


def split(lines):
    """The lines of each part of the output; a title is one of them."""
    parts = {part: [] for _, part in TITLES}
    part = []
    for line in lines:
        # No row starts like this.
        if line[:1] in "SPDRV " and not line.startswith("  "):
            text = line.lstrip()
            for title, name in TITLES:
                if text.startswith(title):
                    part = parts[name]
                    break
        part.append(line)
    return parts


def number(text):
    return int(text, 16) if text.startswith("0x") else int(text)


def symbols(parts):
    """`Num: Value Size Type Bind Vis Ndx Name`, where the name may be missing."""
    rows = []
    for line in parts["symbols"]:
        # A note in brackets may stand in front of the index, and unknown words are two.
        if "[" in line:
            line = re.sub(r" +\[[^\]]*\] +(?=\S+ )", " ", line)
        if "<" in line:
            line = re.sub(r"<(OS|processor) specific>: (\d+)", r"<\1>:\2", line)
        words = line.split(None, 8)
        if len(words) < 7 or words[0][-1] != ":" or words[0] in ("Num:", "0:"):
            continue
        index, value, size, of, binding, visibility, section = words[:7]
        # A needed version has its index behind it: `open@GLIBC_2.2.5 (2)`.
        name, at, version = (words[7] if len(words) > 7 else "").partition("@")
        rows.append(
            Symbol(
                int(index[:-1]), name, at + version if at else None, int(value, 16), number(size),
                of, binding, visibility,
                int({"UND": 0, "ABS": 0xfff1, "COM": 0xfff2}.get(section, section))))
    return rows


def sections(parts):
    row = re.compile(
        r"\s*\[\s*(\d+)\] (.*?)\s+(\S+)\s+([0-9a-f]{8,16}) ([0-9a-f]{6,}) ([0-9a-f]{6,}) "
        r"([0-9a-f]{2,}) ([A-Zoplx ]{3,}?)\s+(\d+)\s+(\d+)\s+(\d+)$")
    rows = []
    for line in parts["sections"]:
        match = row.match(line)
        if not match or match[3] == "NULL":
            continue
        index, name, of, address, offset, size, entry, flags, link, info, align = match.groups()
        number = number_of(of, 16)
        rows.append(
            Section(
                int(index), name, of if number is UNTOLD else UNTOLD, number, int(address, 16),
                int(offset, 16), int(size, 16), int(entry, 16), flags.strip(), int(link), int(info),
                int(align)))
    return rows


def segments(parts):
    row = re.compile(
        r"  (\S+)\s+0x([0-9a-f]+) 0x([0-9a-f]+) 0x([0-9a-f]+) 0x([0-9a-f]+) 0x([0-9a-f]+) "
        r"(.{3}) (0x[0-9a-f]+|0)$")
    rows, interpreter, mapping = [], None, {}
    for line in parts["segments"]:
        match = row.match(line)
        if match:
            of, *numbers, mode, align = match.groups()
            mode = "".join(
                a if b in mode else "-" for a, b in (("r", "R"), ("w", "W"), ("x", "E")))
            kind = number_of(of, 16)
            rows.append(
                Segment(
                    of if kind is UNTOLD else UNTOLD, kind, *(int(n, 16) for n in numbers), mode,
                    number(align), ""))
        match = re.match(r"\s+\[Requesting program interpreter: (.*)\]", line)
        if match:
            interpreter = match[1]
    for line in parts["mapping"]:
        match = re.match(r"   (\d\d+)    ?(.*)", line)
        if match:
            mapping[int(match[1])] = " ".join(match[2].split())
    rows = [row._replace(sections=mapping.get(i, "")) for i, row in enumerate(rows)]
    return rows + [Interpreter(interpreter)]


def dynamic(parts):
    rows = []
    for line in parts["dynamic"]:
        match = re.match(r" 0x([0-9a-f]+) \((.*?)\)\s+(.*)$", line)
        if not match or match[2] == "NULL":
            continue
        tag, text = match[2], match[3]
        value, string, flags = UNTOLD, None, None
        if "[" in text:
            string = text[text.index("[") + 1:-1]
        elif re.match(r"0x[0-9a-f]+$", text):
            value = int(text, 16)
        elif re.match(r"\d+( \(bytes\))?$", text):
            value = int(text.split()[0])
        if tag in ("FLAGS", "FLAGS_1"):
            flags = " ".join(sorted(text.replace("Flags:", "").split()))
        elif tag.startswith("FEATURE") or tag == "POSFLAG_1":
            flags = UNTOLD
        rows.append(
            Entry(UNTOLD if tag.startswith("<unknown") else tag, int(match[1], 16), value, string, flags))
    return rows + versions(parts["versions"])


def versions(lines):
    definitions, needs, file = [], [], None
    for line in lines:
        match = re.match(
            r"\s+\S+: Rev: \d+\s+Flags: (.*?)\s+Index: (\d+)\s+Cnt: \d+\s+Name: (.*)$", line)
        if match:
            definitions.append(Definition(int(match[2]), match[3], match[1].split()[-1], ""))
        match = re.match(r"\s+\S+: Parent \d+: (.*)$", line)
        if match:
            parents = f"{definitions[-1].parents} {match[1]}".strip()
            definitions[-1] = definitions[-1]._replace(parents=parents)
        match = re.match(r"\s+\S+: Version: \d+\s+File: (.*?)\s+Cnt:", line)
        if match:
            file = match[1]
        match = re.match(r"\s+\S+:\s+Name: (.*?)\s+Flags: (.*?)\s+Version: (\d+)$", line)
        if match:
            needs.append(Need(file, int(match[3]), match[1], match[2].split()[-1]))
    return definitions + needs


def relocations(parts):
    if "rows" not in parts:
        parts["rows"] = relocation_rows(parts["relocations"])
    return parts["rows"]


def relocation_rows(lines):
    rows, is_packed = [], False
    row = re.compile(r"([0-9a-f]{8,16})  ([0-9a-f]{8,16}) (\S+)(?:\s+(.*))?$")
    for line in lines:
        if line.startswith("Relocation section"):
            is_packed = False
        elif line.endswith(" offsets"):
            is_packed = True
        elif is_packed and re.match(r"[0-9a-f]{8,16}$", line):
            rows.append(Relocation(int(line, 16), "RELR", "", None, 0))
        else:
            match = row.match(line)
            if match:
                rows.append(relocation(match))
    return sorted(rows, key=relocation_order)


def relocation(match):
    """`value name@version + addend`, or the addend alone; an IFUNC's value is its name with `()`."""
    rest = match[4] or ""
    symbol, addend = "", 0
    with_symbol = re.match(r"(?:[0-9a-f]{8,16}|\S*\(\))\s+(.*)$", rest)
    if with_symbol and re.match(r".*\s[+-] [0-9a-f]+$", rest):
        symbol, sign, addend = re.match(r"(.*) ([+-]) ([0-9a-f]+)$", with_symbol[1]).groups()
        addend = int(addend, 16) * (-1 if sign == "-" else 1)
    elif re.match(r"-?[0-9a-f]+$", rest):
        addend = int(rest, 16)
    elif with_symbol:
        symbol = with_symbol[1]
    name, at, version = symbol.partition("@")
    return Relocation(
        int(match[1], 16), match[3], name, version.lstrip("@") if at else None, addend)


def slots(parts):
    # Where the addend is the word in place, it is not shown.
    return [
        Slot(
            row.address, row.type, row.symbol, row.version,
            UNTOLD if row.type.startswith(("R_386_", "R_ARM_")) else row.addend)
        for row in relocations(parts) if row.symbol and SLOT.fullmatch(row.type)]


def notes(parts):
    found, section = [], None
    for line in parts["notes"]:
        match = re.match(r"Displaying notes found in: (.*)$", line)
        if match:
            section = match[1]
        elif line.startswith("Displaying notes found at"):
            section = None
        match = re.match(r"  (\S*) +0x([0-9a-f]{8})\t(.*)$", line)
        if match:
            found.append([section, match[1], int(match[2], 16)])
            line = match[3].split("\t", 1)[-1]
        text = line.strip()
        if not found:
            continue
        match = re.match(r"Build ID: ([0-9a-f]+)", text)
        if match:
            found[-1].append(match[1])
        match = re.match(r"OS: (.*), ABI: (.*)$", text)
        if match:
            found[-1] += [match[1], match[2]]
        match = re.match(r"(Provider|Name|Arguments): ?(.*)$", text)
        if match and found[-1][1] == "stapsdt":
            found[-1].append(match[2])
        match = re.match(r"Location: (\S+), Base: (\S+), Semaphore: (\S+)$", text)
        if match:
            found[-1] += [int(n, 16) for n in match.groups()]
        match = re.search(r"feature: (.*)$", text)
        if match:
            found[-1].append(" ".join(match[1].replace("<None>", "").split(", ")))
    return [Note(*note[:3], tuple(note[3:])) for note in found if note[0] != ATTRIBUTES]
