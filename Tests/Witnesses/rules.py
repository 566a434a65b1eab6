"""The known differences of other readers from rebind-inspect, each with its reason.

A difference that no rule here explains is a bug: of rebind-inspect, of the reader, or of what
rebind-inspect's words stand for. Tests/RebindInspectTests/WitnessTests.swift has a file for each rule.
"""

import re
from dataclasses import dataclass
from typing import Any, Callable

from tables import ATTRIBUTES, Definition, Need


@dataclass
class Difference:
    """The values of two rows in a field.

    The field `rows` is how many rows there are, and `error` is that a file could not be read.
    """

    path: str
    reader: str
    field: str  # TABLE.FIELD
    ours: Any
    theirs: Any
    row: Any  # ours, None for none
    abi: int  # e_ident[EI_OSABI]
    has_headers: bool  # of sections

    def __str__(self):
        row = "" if self.row is None else f" of {tuple(self.row)}"
        return (
            f"{self.path}: {self.field}: ours {self.ours!r}, {self.reader}'s {self.theirs!r}{row}")


@dataclass
class Rule:
    """A difference in a field that it explains, or rows of ours that the readers leave out."""

    name: str
    readers: str  # several are separated by commas
    field: str  # TABLE.FIELD, and so are these
    reason: str
    explains: Callable[[Difference], bool] = lambda difference: False
    omits: Callable[[Any], bool] = lambda row: False

    def is_of(self, reader):
        return reader in self.readers.split(", ")


SYSTEM_V = 0

# <elf.h> has the first name and readelf the second.
READELF_NAMES = {
    "ARM_EXIDX": "EXIDX",
    "RISCV_ATTRIBUTES": "RISCV_ATTRIBUT",
    "R_386_JMP_SLOT": "R_386_JUMP_SLOT",
    "R_AARCH64_TLS_TPREL": "R_AARCH64_TLS_TPREL64",
    "R_ARM_GOT32": "R_ARM_GOT_BREL",
    "R_ARM_GOTPC": "R_ARM_BASE_PREL",
    "R_ARM_THM_PC22": "R_ARM_THM_CALL",
}

RULES = [
    Rule(
        "unique", "readelf, eu-readelf", "symbols.binding",
        "STB_GNU_UNIQUE is called OS specific where e_ident[EI_OSABI] is System V; glibc's loader "
        "takes it as unique without looking there (elf/dl-lookup.c, do_lookup_unique)",
        explains=lambda d: d.ours == "UNIQUE" and d.theirs in ("LOOS+0", "<OS>:10")
        and d.abi == SYSTEM_V),
    Rule(
        "ifunc", "eu-readelf", "symbols.type",
        "STT_GNU_IFUNC is called OS specific where e_ident[EI_OSABI] is System V, as lld leaves it; "
        "glibc's loader calls the resolver without looking there",
        explains=lambda d: d.ours == "IFUNC" and d.theirs == "LOOS+0" and d.abi == SYSTEM_V),
    Rule(
        "retain", "readelf", "sections.flags",
        "SHF_GNU_RETAIN is `o`, OS specific, where e_ident[EI_OSABI] is System V; linkers take it as "
        "R without looking there",
        explains=lambda d: d.ours.replace("R", "o") == d.theirs and d.abi == SYSTEM_V),
    Rule(
        "own-flags", "readelf", "sections.flags",
        "flags that are a system's or a machine's own have letters, `o`, `p` and `l`; rebind-inspect "
        "has them in flagsValue alone",
        explains=lambda d: d.ours == re.sub("[opl]", "", d.theirs)),
    Rule(
        "section-symbol", "eu-readelf", "symbols.name",
        "a section's symbol is printed without a name; readelf and nm print the section's",
        explains=lambda d: d.theirs == "" and d.row.type == "SECTION"),
    Rule(
        "copied", "eu-readelf", "symbols.version",
        "a variable copied from a library into a section that has contents, as .data.rel.ro, is printed "
        "without its version",
        explains=lambda d: d.theirs is None and d.row.section != 0 and d.ours[:2] != "@@"),
    Rule(
        "names", "readelf", "sections.type, segments.type, relocations.type, slots.relocation",
        "it has names of its own, or shorter ones, for types that have others in <elf.h>",
        explains=lambda d: READELF_NAMES.get(d.ours) == d.theirs),
    Rule(
        "three", "readelf", "relocations.type",
        "of three types at once, as 64-bit MIPS has them, the second and the third are on lines below",
        explains=lambda d: d.ours.startswith(f"{d.theirs}/")),
    Rule(
        "unknown-type", "eu-readelf", "relocations.type",
        "the type is called invalid: elfutils 0.188 knows no MIPS and no IRELATIVE of AArch64 and s390x",
        explains=lambda d: d.theirs == "<INVALID RELOC>"
        and (d.ours.startswith("R_MIPS_") or d.ours.endswith("_IRELATIVE"))),
    Rule(
        "mips64", "eu-readelf", "relocations.rows",
        "r_info of 64-bit MIPS is taken apart as elsewhere, and gives no symbol and no type",
        explains=lambda d: d.theirs == 0 and d.row.type.startswith("R_MIPS_")),
    Rule(
        "relr", "eu-readelf", "relocations.rows",
        "packed relative relocations (SHT_RELR) are not listed: elfutils 0.188 does not know them",
        omits=lambda row: row.type == "RELR"),
    Rule(
        "versions", "eu-readelf", "dynamic.rows",
        "definitions and needs of versions are no part of the dynamic segment; readelf's are read",
        omits=lambda row: isinstance(row, (Definition, Need))),
    Rule(
        "newer-features", "readelf", "notes.content",
        "a feature of the processor that it does not know is a number: binutils 2.40 has no GCS",
        explains=lambda d: len(d.ours) == len(d.theirs) and all(
            re.fullmatch(re.sub("<unknown: [^>]*>", r"\\S+", their), our)
            for our, their in zip(d.ours, d.theirs)
            if our != their)),
    Rule(
        "headerless", "readelf, eu-readelf, nm",
        "symbols.rows, sections.rows, dynamic.rows, relocations.rows, slots.rows, notes.rows, "
        "imports.rows",
        "a file without section headers has no tables for it, or fewer",
        explains=lambda d: not d.has_headers and d.theirs < d.ours),
    Rule(
        "attributes", "readelf, eu-readelf", "notes.rows",
        f"those of {ATTRIBUTES} have their contents in the owner's name, decoded in other words",
        omits=lambda row: row.section == ATTRIBUTES),
]


def explanation(difference):
    """The rule that explains a difference, or None."""
    return next(
        (rule for rule in RULES
         if difference.field in rule.field.split(", ") and rule.is_of(difference.reader)
         and rule.explains(difference)), None)


def omits_any(reader, table):
    """Does the reader leave any rows of the table out?"""
    return any(f"{table}.rows" in rule.field.split(", ") and rule.is_of(reader) for rule in RULES)


def omission(reader, table, row):
    """The rule by which a reader leaves a row of ours out, or None."""
    return next(
        (rule for rule in RULES
         if f"{table}.rows" in rule.field.split(", ") and rule.is_of(reader) and rule.omits(row)),
        None)


if __name__ == "__main__":
    for rule in RULES:
        print(f"{rule.readers} | {rule.field} | {rule.name}: {rule.reason}")
