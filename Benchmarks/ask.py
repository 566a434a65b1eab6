#!/usr/bin/env python3
"""Times questions about ELF files, with rebind-inspect and DuckDB, and with sqlelf.

usage: ask.py REBIND-INSPECT FILE...

duckdb and sqlelf have to be installed for this Python, as by pip. Each question starts from the files: it
prints the table and asks it, and sqlelf loads the tables that the question needs. Each has a process of its
own, three times; the shortest time counts. The first FILE is a program.
"""

import os
import subprocess
import sys
import tempfile
import time

FLOOR = "max(CAST(substr({0}, 9, 2) AS DOUBLE))"

# A question; our arguments; our query of the table; sqlelf's tables, and its query.
QUESTIONS = [
    ("auditwheel: the glibc that each file needs",
     ["requires"],
     "SELECT path, " + FLOOR.format("version") + " FROM '{0}' WHERE kind = 'version' "
     "AND version LIKE 'GLIBC_2.%' GROUP BY path",
     ["VERSION_REQUIREMENTS"],
     "SELECT path, " + FLOOR.format("name") + " FROM elf_version_requirements "
     "WHERE name LIKE 'GLIBC_2.%' GROUP BY path"),
    ("dynamic linking: where a program's imports come from",
     ["symbols", "--imports", "--resolve"],
     "SELECT DISTINCT name, definedBy FROM '{0}' WHERE definedBy IS NOT NULL",
     ["SYMBOLS"],
     "SELECT DISTINCT caller.name, callee.path FROM elf_symbols caller JOIN elf_symbols callee "
     "ON caller.name = callee.name AND caller.path <> callee.path "
     "WHERE caller.imported AND callee.exported AND caller.path = '{1}'"),
    ("interposition: names that several files export",
     ["symbols"],
     "SELECT name, version, count(*) FROM '{0}' WHERE isDefined AND binding <> 'LOCAL' "
     "GROUP BY name, version HAVING count(*) > 1",
     ["SYMBOLS"],
     "SELECT name, version, count(*) FROM elf_symbols WHERE exported "
     "GROUP BY name, version HAVING count(*) > 1"),
    ("sums: the ten names that most files import",
     ["symbols", "--imports"],
     "SELECT name, count(DISTINCT path) AS files FROM '{0}' GROUP BY name ORDER BY files DESC, name "
     "LIMIT 10",
     ["SYMBOLS"],
     "SELECT name, count(DISTINCT path) AS files FROM elf_symbols WHERE imported "
     "GROUP BY name ORDER BY files DESC, name LIMIT 10"),
    ("which files link against libc.so.6",
     ["dynamic"],
     "SELECT path FROM '{0}' WHERE tag = 'NEEDED' AND string = 'libc.so.6'",
     ["DYNAMIC_ENTRIES", "STRINGS"],
     "SELECT entries.path FROM elf_dynamic_entries entries JOIN elf_strings strings "
     "ON entries.path = strings.path AND entries.value = strings.offset "
     "WHERE tag = 'NEEDED' AND section = '.dynstr' AND strings.value = 'libc.so.6'"),
    ("names of sections, how many and how large",
     ["sections"],
     "SELECT name, count(*), sum(size) FROM '{0}' GROUP BY name",
     ["SECTIONS"],
     "SELECT name, count(*), sum(size) FROM elf_sections WHERE name <> '' GROUP BY name"),
]


def ask_ours(program, arguments, query, files):
    import duckdb
    with tempfile.NamedTemporaryFile(suffix=".csv") as table:
        subprocess.run([program, *arguments, "--format", "csv", "--files-from", "-"],
                       input="\n".join(files), text=True, stdout=table, stderr=subprocess.DEVNULL)
        return duckdb.sql(query.format(table.name)).fetchall()


def ask_sqlelf(tables, query, files, is_program):
    from sqlelf import elf, sql
    flags = elf.CacheFlag.NONE
    for table in tables:
        flags |= elf.CacheFlag[table]
    engine = sql.make_sql_engine(files, recursive=is_program, cache_flags=flags)
    return list(engine.execute(query.format("", files[0])))


def timed(function, *arguments):
    """The shortest time, and the number of rows, of three processes that call a function."""
    times = []
    for _ in range(3):
        reader, writer = os.pipe()
        start = time.monotonic()
        if os.fork() == 0:
            os.write(writer, str(len(function(*arguments))).encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answer:
            rows = int(answer.read())
        os.wait()
        times.append(time.monotonic() - start)
    return min(times), rows


def main():
    program, files = os.path.abspath(sys.argv[1]), [os.path.realpath(path) for path in sys.argv[2:]]
    print(f"{len(files)} files, {sum(map(os.path.getsize, files)) >> 20} MiB\n")
    print("| question | rebind-inspect and DuckDB | rows | sqlelf | rows |\n|---|---|---|---|---|")
    for title, arguments, query, tables, other in QUESTIONS:
        asked = files[:1] if "--resolve" in arguments else files
        ours, rows = timed(ask_ours, program, arguments, query, asked)
        theirs, others = timed(ask_sqlelf, tables, other, asked, "--resolve" in arguments)
        print(f"| {title} | {ours:.2f} s | {rows} | {theirs:.2f} s | {others} |", flush=True)


if __name__ == "__main__":
    main()
