"""Compares what rebind-inspect says of files with what other readers say.

usage: compare.py [--tables TABLE,...] [--no-rules] READER REBIND-INSPECT FILE...

READER is readelf or eu-readelf. Prints each difference that no rule of rules.py explains (three of
a table of a file are enough), then the explained ones. At the end it prints how many rows were
equal. The exit status is 1 if something was not explained.
"""

import argparse
import importlib
import sys
from collections import Counter
from itertools import zip_longest

import rules
from rules import Difference
from tables import TABLES, UNTOLD, ours

SHOWN = 3


class Comparison:
    """The results of the comparison so far."""

    def __init__(self, with_rules=True):
        self.with_rules = with_rules
        self.equal = Counter()  # by (reader, table)
        self.explained = Counter()  # by name of the rule
        self.unexplained = []  # texts
        self.count = 0  # of what is not explained

    def add(self, other):
        self.equal += other.equal
        self.explained += other.explained
        self.unexplained += other.unexplained
        self.count += other.count

    def tables(self, reader, program, paths, tables=TABLES):
        """Compares tables of files with a reader's."""
        witness = importlib.import_module(reader.replace("-", "_"))
        theirs = {path: witness.read(path, tables) for path in paths}
        for table in tables:
            for path, rows in zip(paths, ours(program, table, paths)):
                self.rows(reader, path, table, rows, theirs[path][table])

    def rows(self, reader, path, table, ours, theirs):
        with open(path, "rb") as file:
            start = file.read(0x30)
        # e_ident[EI_OSABI], and e_shoff by the class.
        about = start[7], any(start[0x28:0x30] if start[4] == 2 else start[0x20:0x24])
        differences = []
        if isinstance(ours, str) or isinstance(theirs, str):
            if ours and theirs:
                answers = [
                    answer if isinstance(answer, str) else f"{len(answer)} rows"
                    for answer in (ours, theirs)]
                differences.append(
                    Difference(path, reader, f"{table}.error", *answers, None, *about))
            theirs = ours = []
        ours = self.without_omissions(reader, table, ours)
        if len(ours) != len(theirs):
            first = next((a or b for a, b in zip_longest(ours, theirs) if a != b), None)
            differences.append(
                Difference(path, reader, f"{table}.rows", len(ours), len(theirs), first, *about))
            ours = theirs = []
        for our, their in zip(ours, theirs):
            if our == their:
                continue
            if type(our) is not type(their):
                differences.append(
                    Difference(path, reader, f"{table}.kind", our, their, our, *about))
                continue
            for field, a, b in zip(our._fields, our, their):
                if a != b and b is not UNTOLD:
                    differences.append(
                        Difference(path, reader, f"{table}.{field}", a, b, our, *about))
        self.equal[reader, table] += len(ours) - len({id(d.row) for d in differences})
        self.differences(differences)

    def without_omissions(self, reader, table, rows):
        if not self.with_rules or not rules.omits_any(reader, table):
            return rows
        kept = []
        for row in rows:
            rule = rules.omission(reader, table, row)
            if rule:
                self.explained[rule.name] += 1
            else:
                kept.append(row)
        return kept

    def differences(self, differences):
        shown = 0
        for difference in differences:
            rule = rules.explanation(difference) if self.with_rules else None
            if rule:
                self.explained[rule.name] += 1
                continue
            self.count += 1
            shown += 1
            if shown <= SHOWN:
                self.unexplained.append(str(difference))

    def finish(self, every_rule=False):
        """Prints what was found; returns the exit status."""
        for text in self.unexplained:
            print(text)
        for rule in rules.RULES:
            times = self.explained[rule.name]
            if times or every_rule:
                print(f"{rule.readers} | {rule.field} | {times} times | {rule.name}: {rule.reason}")
        print(f"{sum(self.equal.values())} rows are equal")
        return 1 if self.count else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--no-rules", action="store_true")
    parser.add_argument("reader", choices=["readelf", "eu-readelf"])
    parser.add_argument("program")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    comparison = Comparison(with_rules=not options.no_rules)
    comparison.tables(
        options.reader, options.program, options.files, options.tables.split(","))
    sys.exit(comparison.finish())


if __name__ == "__main__":
    main()
