"""Reads the output of elfutils' eu-readelf for a file."""

import os
import re
import subprocess

from tables import (
    ATTRIBUTES, UNTOLD, Entry, Interpreter, Note, Relocation, Section, Segment, Symbol, number_of,
    relocation_order)

OPTIONS = {
    "symbols": "--symbols=.dynsym", "sections": "-S", "segments": "-l", "dynamic": "-d",
    "relocations": "-r", "notes": "-n"}
TITLES = (
    ("Section Headers:", "sections"), ("Program Headers:", "segments"),
    (" Section to Segment mapping", "mapping"), ("Dynamic segment", "dynamic"),
    ("Relocation section", "relocations"), ("Symbol table", "symbols"), ("Note se", "notes"))


def read(path, tables):
    """The rows of each table."""
    command = ["eu-readelf", "-W", *(OPTIONS[table] for table in tables), "--", path]
    output = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"}).stdout
    parts = {part: [] for _, part in TITLES}
    part = []
    for line in output.decode(errors="surrogateescape").splitlines():
        if line[:1] in "SPDRN " and not line.startswith("  "):
            for title, name in TITLES:
                if line.startswith(title):
                    part = parts[name]
                    break
        part.append(line)
    return {table: globals()[table](parts[table]) for table in tables}


def symbols(lines):
    row = re.compile(
        r"\s*(\d+): ([0-9a-f]+) +(\d+) (\S+) +(\S+) +(\S+) +(\S+) (\S*)(?: \(\d+\))?$")
    rows = []
    for line in lines:
        match = row.match(line)
        if not match or match[1] == "0":
            continue
        index, value, size, of, binding, visibility, section, text = match.groups()
        name, at, version = text.partition("@")
        if section == "ABS" and version.lstrip("@") == name:
            # A version's own symbol has no version, as in the linker's eyes.
            at = ""
        rows.append(
            Symbol(
                int(index), name, at + version if at else None, int(value, 16), int(size),
                of.replace("GNU_IFUNC", "IFUNC"), binding.replace("GNU_UNIQUE", "UNIQUE"),
                visibility,
                int({"UNDEF": 0, "ABS": 0xfff1, "COMMON": 0xfff2}.get(section, section))))
    return rows


def sections(lines):
    row = re.compile(
        r"\[ *(\d+)\] (\S*) +(\S+(?: \S+)?) +([0-9a-f]{8,16}) ([0-9a-f]{6,}) ([0-9a-f]{6,}) +"
        r"(\d+) ([A-Zoplx]*) +(\d+) +(\d+) +(\d+)$")
    rows = []
    for line in lines:
        match = row.match(line)
        if not match or match[3] == "NULL":
            continue
        index, name, of, address, offset, size, entry, flags, link, info, align = match.groups()
        number = number_of(of, 16 if of.startswith("SHT_") else 10)
        of = {"GNU_verdef": "VERDEF", "GNU_verneed": "VERNEED", "GNU_versym": "VERSYM"}.get(of, of)
        rows.append(
            Section(
                int(index), name, of if number is UNTOLD else UNTOLD, number, int(address, 16),
                int(offset, 16), int(size, 16), int(entry), flags, int(link), int(info), int(align)))
    return rows


def segments(lines):
    row = re.compile(r"  (\S+)\s+" + 5 * r"0x([0-9a-f]+) " + r"(.{3}) 0x([0-9a-f]+)$")
    rows, interpreter = [], None
    for line in lines:
        match = row.match(line)
        if match:
            of, *numbers, mode, align = match.groups()
            mode = "".join(a if a.upper() in mode.replace("E", "X") else "-" for a in "rwx")
            kind = number_of(of)
            rows.append(
                Segment(
                    of if kind is UNTOLD else UNTOLD, kind, *(int(n, 16) for n in numbers), mode,
                    int(align, 16), UNTOLD))
        match = re.match(r"\s+\[Requesting program interpreter: (.*)\]", line)
        if match:
            interpreter = match[1]
    return rows + [Interpreter(interpreter)]


def dynamic(lines):
    rows = []
    for line in lines:
        match = re.match(r"  (\S+(?: 0x[0-9a-f]+)?) +(.*)$", line)
        if not match or match[1] in ("Type", "NULL"):
            continue
        tag, text, value, string = match[1], match[2].strip(), UNTOLD, UNTOLD
        if "[" in text:
            string = text[text.index("[") + 1:-1]
        elif re.match(r"0x[0-9a-f]+$", text):
            value = int(text, 16)
        elif re.match(r"\d+( \(bytes\))?$", text):
            value = int(text.split()[0])
        number = number_of(tag)
        rows.append(
            Entry(tag if number is UNTOLD else UNTOLD, number, value, string, UNTOLD))
    return rows


def relocations(lines):
    # The name of a symbol may be missing, and has no version.
    row = re.compile(
        r"  (?:0x)?([0-9a-f]+) +(<INVALID RELOC>|\S+(?: \d+)?) +(?:0x)?([0-9a-f]+) +([+-]\d+)? ?(.*)$")
    rows = []
    for line in lines:
        match = row.match(line)
        if match:
            address, of, value, addend, name = match.groups()
            if addend is None and (not name or of.endswith("RELATIVE")):
                # Of one that has no symbol the addend is in place of the value, and in a static
                # program the name of the slot's section follows.
                addend, name = int(value, 16), ""
            rows.append(
                Relocation(
                    int(address, 16), of if of[0] == "<" else "R_" + of, name, UNTOLD,
                    int(addend or 0)))
    return sorted(rows, key=relocation_order)


def notes(lines):
    rows, section = [], None
    for line in lines:
        match = re.match(r"Note section \[ *\d+\] '(.*)' of", line)
        if match:
            section = match[1]
        match = re.match(r"  (\S*) +(\d+)  (\S+)", line)
        if match:
            rows.append(Note(section, match[1], int(match[2]), UNTOLD))
        match = re.match(r"    Build ID: ([0-9a-f]+)", line)
        if match:
            rows[-1] = rows[-1]._replace(content=(match[1],))
    return [row for row in rows if row.section != ATTRIBUTES]
