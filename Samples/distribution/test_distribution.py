#!/usr/bin/env python3
"""Tests the sample with packages that it builds, in DuckDB and in Spark.

  INSPECT=rebind-inspect python3 test_distribution.py

Spark runs in the local cluster of pyspark, which needs a JRE.
"""

import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import collect
import query
import spark

INSPECT = os.environ.get("INSPECT", "rebind-inspect")
HEADERS = os.path.join(query.FOLDER, "../../Sources/CRebindAnnotations/include")
COMMON = "int common(void) { return 1; }"
ANNOTATION = '#include <RebindAnnotations.h>\nREBIND_ANNOTATE_VALUE(services, "mail", "", 7)\n'
SMALL = ["--scratch-bytes", str(32 << 20)]
# The rows that each question has of the small packages, whose first symbol is asked for: price of liba.so.1.
ANSWERS = {
    "annotations": [("services", "mail", None, 7, "app", "/usr/bin/other")],
    "collisions": [("common", "x86-64", 2, "liba.so.1", "libb.so.1")],
    "glibc-floor": [("app", "GLIBC_2.34", "/usr/bin/app", "__libc_start_main"),
                    ("app", "GLIBC_2.34", "/usr/bin/other", "__libc_start_main")],
    "hardening": [("app", 3, 0, 0, 3, 0, 0, 0), ("liba", 1, 1, 1, 1, 0, 0, 0), ("libb", 1, 0, 0, 1, 0, 0, 0)],
    "hook-misses": [("app", "/usr/bin/other", "it calls price64")],
    "providers": [("liba", "/usr/lib/liba.so.1", "liba.so.1", None, None)],
    "removal": [("app", "/usr/bin/app", None), ("app", "/usr/bin/lone", None)],
    "unneeded": [("libb", "/dev/usr/lib/libb.so.1", "libb.so.1")],
    "unresolved": [("app", "/usr/bin/lone", "nowhere", None)],
    "who-imports": [("app", "/usr/bin/app", "price", None), ("app", "/usr/bin/lone", "price", None)],
}


def run(*words, **options):
    return subprocess.run(words, check=True, text=True, capture_output=True, errors="replace", **options).stdout


def small_packages(folder):
    """Builds a .deb and archives, and beside them what no package should be."""
    with tempfile.TemporaryDirectory() as work:
        def build(path, text, *flags):
            os.makedirs(os.path.dirname(f"{work}/{path}"), exist_ok=True)
            shared = ["-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{os.path.basename(path)}"] if ".so" in path else []
            run("gcc", "-O2", "-o", f"{work}/{path}", "-I", HEADERS, *shared, *flags, "-xc", "-", input=text)

        build("a/usr/lib/liba.so.1", f"int price(void) {{ return 2; }}\nint price64(void) {{ return 3; }}\n{COMMON}", "-Wl,-z,now,-z,relro")
        build("b/dev/usr/lib/libb.so.1", COMMON, "-Wl,-z,lazy,-z,norelro")
        # Linked with an older version of the library.
        build("old/liba.so.1", "int price(void) { return 2; }\nint nowhere(void) { return 2; }")
        build("c/usr/bin/lone", "int price(void);\nint nowhere(void);\nint main(void) { return price() + nowhere(); }", "-nostdlib",
              "-Wl,--no-as-needed,-e,main,-z,lazy", f"{work}/old/liba.so.1")
        for name, call, more in ("app", "price", ""), ("other", "price64", ANNOTATION):
            build(f"c/usr/bin/{name}", f"{more}int {call}(void);\nint main(void) {{ return {call}(); }}", "-Wl,--no-as-needed",
                  f"{work}/a/usr/lib/liba.so.1", "-Wl,-z,lazy", "-fno-stack-protector")
        os.makedirs(f"{work}/a/DEBIAN")
        with open(f"{work}/a/DEBIAN/control", "w") as file:
            file.write("Package: liba\nVersion: 1.0\nArchitecture: amd64\nMaintainer: a <a@b>\nDescription: a\n")
        run("dpkg-deb", "--build", "--root-owner-group", f"{work}/a", f"{folder}/liba_1.0_amd64.deb")
        run("tar", "-C", f"{work}/b", "-czf", f"{folder}/libb.tar.gz", ".")
        run("tar", "-C", f"{work}/c", "-cJf", f"{folder}/app.tar.xz", ".")
        shutil.copy(f"{folder}/liba_1.0_amd64.deb", f"{folder}/broken.deb")
        os.truncate(f"{folder}/broken.deb", 600)
        run("tar", "-C", f"{work}/b", "--transform", "s,dev,../../outside,", "-P", "-cf", f"{folder}/leaving.tar", "dev")
        run("truncate", "-s", "64M", f"{work}/zeros")
        run("tar", "-C", work, "-czf", f"{folder}/bomb.tar.gz", "zeros")


def collecting(packages, tables, *options):
    return [sys.executable, os.path.join(query.FOLDER, "collect.py"), packages, "--out", tables, "--inspect", INSPECT, *options]


def collected(*arguments):
    return subprocess.run(collecting(*arguments), check=True, text=True, capture_output=True).stderr


def everything(tables):
    import duckdb
    return sorted(duckdb.sql(f"SELECT * FROM '{tables}/*.parquet'").fetchall(), key=repr)


def session():
    from pyspark.sql import SparkSession
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    made = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false").getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    for module in collect, spark:
        made.sparkContext.addPyFile(module.__file__)
    return made


class SmallPackages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.packages, cls.tables = f"{cls.folder}/packages", f"{cls.folder}/tables"
        os.mkdir(cls.packages)
        small_packages(cls.packages)
        cls.said = collected(cls.packages, cls.tables, *SMALL)

    def test_answers(self):
        self.assertEqual(set(ANSWERS), {os.path.basename(path)[:-4] for path in glob.glob(f"{query.FOLDER}/questions/*.sql")})
        base = query.connect(self.tables, "price", "liba.so.1")
        made = session()
        made.read.parquet(self.tables).createOrReplaceTempView("everything")
        query.prepare(made.sql, "price", "liba.so.1")
        for question, rows in ANSWERS.items():
            statement, = query.statements(f"{query.FOLDER}/questions/{question}.sql")
            for answer in base.sql(statement).fetchall(), [tuple(row) for row in made.sql(statement).collect()]:
                with self.subTest(question):
                    self.assertEqual(sorted(answer, key=repr), rows)

    def test_queries_say_what_is_missing(self):
        for tables, question, words in (self.folder, "questions/hardening.sql", "has no tables: collect.py writes them"), \
                (self.tables, "questions/nothing.sql", "has no question: [Errno 2]"):
            asked = subprocess.run([sys.executable, f"{query.FOLDER}/query.py", tables, f"{query.FOLDER}/{question}"],
                                   text=True, capture_output=True)
            self.assertTrue(asked.returncode == 1 and words in asked.stderr and "Traceback" not in asked.stderr, asked.stderr)

    def test_errors(self):
        rows = query.connect(self.tables).sql("SELECT package, message FROM errors").fetchall()
        for package, words in ("liba", "broken.deb"), ("leaving", "Path contains '..'"), ("bomb", "larger than 33,554,432 bytes"):
            self.assertTrue(any(package == name and words in message for name, message in rows), rows)
        self.assertFalse(glob.glob(f"{self.folder}/**/outside", recursive=True))
        self.assertRegex(self.said, r"6/6, [\d.]+ packages/s, .* MB, 0 s left")

    def test_what_prints_no_table_is_an_error_and_a_missing_package_is_tried_again(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/inspect", "w") as file:
                # Of a package, slots are killed, or the process that reads the package where the file says so.
                file.write(f'#!/bin/sh\n[ "$1 $4" != "slots -0" ] || kill -9 $([ -e {folder}/all ] && echo $PPID) $$\nexec {INSPECT} "$@"\n')
            os.chmod(f"{folder}/inspect", 0o755)
            with open(f"{folder}/list", "w") as file:
                file.write(f"{self.packages}/libb.tar.gz\n{folder}/it's absent.tar\n")
            words = [*collecting(f"{folder}/list", f"{folder}/tables"), "--inspect", f"{folder}/inspect"]
            self.assertIn("it's absent.tar: there is no such file", subprocess.run(words, text=True, capture_output=True).stderr)
            shutil.copy(f"{self.packages}/app.tar.xz", f"{folder}/it's absent.tar")
            self.assertIn("of which 1 are done", subprocess.run(words, text=True, capture_output=True).stderr)
            with open(f"{folder}/all", "w"), open(f"{folder}/list", "a") as file:
                file.write(f"{self.packages}/liba_1.0_amd64.deb\n")
            self.assertIn("its process ended with -9", subprocess.run(words, text=True, capture_output=True).stderr)
            facts = {(row[0], row[1], row[-1]) for row in everything(f"{folder}/tables")}
            self.assertEqual(facts, {("errors", name, "rebind-inspect slots ended with -9") for name in ("libb", "it's absent")})

    def test_a_killed_run_goes_on(self):
        tables = f"{self.folder}/again"
        process = subprocess.Popen(collecting(self.packages, tables, *SMALL, "--jobs", "1"), stderr=subprocess.DEVNULL, start_new_session=True)
        while not glob.glob(f"{tables}/*.parquet"):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        done = {path: os.stat(path).st_mtime_ns for path in glob.glob(f"{tables}/*.parquet")}
        self.assertIn(f"of which {len(done)} are done", collected(self.packages, tables, *SMALL))
        self.assertEqual(done, {path: os.stat(path).st_mtime_ns for path in done})
        self.assertEqual(everything(tables), everything(self.tables))


if __name__ == "__main__":
    unittest.main(verbosity=2)
