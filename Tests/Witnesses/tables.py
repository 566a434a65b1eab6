"""The tables of an ELF file as rows of named fields, and what rebind-inspect says in them.

Each reader has a module with a function for a file that gives the same tables. A field that a reader
does not tell is UNTOLD, and equal to anything.
"""

import json
import os
import subprocess
from collections import namedtuple

UNTOLD = ...

Symbol = namedtuple("Symbol", "index name version value size type binding visibility section")
Section = namedtuple(
    "Section", "index name type number address offset size entry_size flags link info alignment")
Segment = namedtuple(
    "Segment",
    "type number offset address physical_address file_size memory_size permissions alignment sections")
Interpreter = namedtuple("Interpreter", "path")
Entry = namedtuple("Entry", "tag number value string flags")
Definition = namedtuple("Definition", "index name flags parents")
Need = namedtuple("Need", "file index name flags")
Relocation = namedtuple("Relocation", "address type symbol version addend")
Slot = namedtuple("Slot", "address relocation symbol version addend")
Note = namedtuple("Note", "section owner size content")
Library = namedtuple("Library", "name path")
Import = namedtuple("Import", "name version")

# The section of notes that have their contents in the owner's name, which readers decode.
ATTRIBUTES = ".gnu.build.attributes"

TABLES = ("symbols", "sections", "segments", "dynamic", "relocations", "notes")


def relocation_order(row):
    return row.address, row.type, row.symbol


def number_of(name, base=10):
    """The number that a reader writes in place of a name that it does not have, and else UNTOLD.

    base is that of numbers without 0x in front.
    """
    name = name.removeprefix("SHT_").removeprefix("PT_")
    for prefix, first in (
            ("LOOS+", 0x60000000), ("LOPROC+", 0x70000000), ("LOUSER+", 0x80000000),
            ("<unknown>: ", 0)):
        if name.startswith(prefix):
            text = name.removeprefix(prefix)
            return first + (int(text, 16) if text.startswith("0x") else int(text, base))
    return UNTOLD


def symbols(file):
    return [
        Symbol(
            s["index"], s["name"], version(s), int(s["value"], 16), s["size"], s["type"],
            s["binding"], s["visibility"], s["sectionIndex"])
        for s in file["symbols"]]


def version(symbol):
    """The text that readers write behind a name."""
    text = symbol["version"]
    return text and ("@@" if symbol["isDefaultVersion"] else "@") + text


def sections(file):
    return [
        Section(
            s["index"], s["name"], s["type"], s["typeValue"], int(s["address"], 16),
            int(s["offset"], 16), s["size"], s["entrySize"], s["flags"], s["link"], s["info"],
            s["alignment"])
        for s in file["sections"]]


def segments(file):
    rows = [
        Segment(
            s["type"], s["typeValue"], int(s["offset"], 16), int(s["address"], 16),
            int(s["physicalAddress"], 16), s["fileSize"], s["memorySize"], s["permissions"],
            s["alignment"], " ".join(s["sections"]))
        for s in file["segments"]]
    return rows + [Interpreter(file["interpreter"])]


def dynamic(file):
    rows = [
        Entry(
            e["tag"], e["tagValue"], int(e["value"], 16), e["string"],
            None if e["flags"] is None else " ".join(sorted(e["flags"])))
        for e in file["dynamic"]]
    flags = lambda v: {0: "none", 1: "BASE", 2: "WEAK"}.get(v["flagsValue"], v["flagsValue"])
    rows += [
        Definition(v["index"], v["name"], flags(v), " ".join(v["parents"]))
        for v in file["versionDefinitions"]]
    rows += [
        Need(need["file"], v["index"], v["name"], flags(v))
        for need in file["versionNeeds"] for v in need["versions"]]
    return rows


def relocations(file):
    rows = []
    for table in file["relocations"]:
        for entry in table["entries"]:
            address = int(entry["address"], 16)
            if table["kind"] == "RELR":
                rows.append(Relocation(address, "RELR", "", None, 0))
            else:
                rows.append(
                    Relocation(
                        address, entry["type"], entry["symbol"] or "", entry["version"],
                        entry["addend"] or 0))
    return sorted(rows, key=relocation_order)


def notes(file):
    rows = []
    for note in file["notes"]:
        content = note["content"] or {"kind": None}
        kind, parts = content["kind"], ()
        if kind == "buildID":
            parts = (content["buildID"],)
        elif kind == "abiTag":
            parts = (content["system"], content["version"])
        elif kind == "probe":
            places = (content["location"], content["base"], content["semaphore"] or "0")
            parts = (
                content["provider"], content["name"], *(int(n, 16) for n in places),
                content["arguments"])
        elif kind == "properties":
            parts = tuple(
                " ".join(p["flags"]) for p in content["properties"]
                if p["type"].endswith("FEATURE_1_AND"))
        rows.append(Note(note["section"], note["owner"], note["size"], parts))
    return rows


def slots(file):
    rows = [
        Slot(int(s["address"], 16), s["relocation"], s["symbol"], s["version"], s["addend"] or 0)
        for s in file["slots"]]
    return sorted(rows, key=lambda row: (row.address, row.relocation, row.symbol))


def tree(file):
    """The libraries that are loaded besides the file; a missing one stands where it is looked
    for, as the last."""
    rows = [Library(os.path.basename(image["name"]), image["path"]) for image in file["scope"][1:]]
    return rows + [Library(missing["name"], None) for missing in file["missing"]]


def imports(file):
    """Of `who-imports`, with or without `--defines`."""
    found = file["imports"] if "imports" in file else file["symbols"]
    return sorted(Import(i["name"], i["version"] or "") for i in found)


def ours(program, table, paths, subcommand=()):
    """The program's output for each file: its rows, or its error as a text.

    With a subcommand that leaves files out, those have no rows.
    """
    if not paths:
        return []
    command = [program, *(subcommand or [table]), "--format", "jsonl", "--", *paths]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    answers = {}
    for line in result.stdout.splitlines():
        file = json.loads(line)
        error = file.get("error")
        answers[file["path"]] = error["message"] if error else globals()[table](file)
    silence = [] if subcommand else f"exit status {result.returncode}, and no word of the file"
    return [answers.get(path, silence) for path in paths]
