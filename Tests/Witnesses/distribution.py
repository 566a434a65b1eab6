#!/usr/bin/env python3
"""Compares the tables of Samples/distribution with what readelf and nm say of the same packages, and with what Spark writes.

  INSPECT=rebind-inspect PACKAGES=FOLDER python3 distribution.py     the sample's folder is in PYTHONPATH

Prints packages and files a second, beside unpacking and rebind-inspect alone.
"""

import glob
import os
import re
import shutil
import signal
import tempfile
import threading
import time
import unittest

import collect
import query
import spark
from test_distribution import INSPECT, collected, everything, run, session


KILLED = []


def is_elf(path):
    if not os.path.isfile(path) or os.path.islink(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def kill_an_executor():
    """Ends an executor of ours as soon as the cluster reads its first package, within ten minutes; the list of those ended."""
    end = time.monotonic() + 600
    while not glob.glob(os.path.join(tempfile.gettempdir(), "spark-*", "*.deb")):
        if time.monotonic() > end:
            return
        time.sleep(0.01)
    KILLED.append(int(run("pgrep", "-s", "0", "-f", "CoarseGrainedExecutorBackend").split()[0]))
    os.kill(KILLED[-1], signal.SIGKILL)


class Distribution(unittest.TestCase):
    def test_counts_and_rates(self):
        packages = sorted(glob.glob(f"{os.environ['PACKAGES']}/*.deb"))
        self.assertGreaterEqual(len(packages), 150)
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            said = collected(os.environ["PACKAGES"], f"{folder}/tables")
            seconds, start = time.monotonic() - start, time.monotonic()
            os.mkdir(f"{folder}/tree")
            for package in packages:
                root = f"{folder}/tree/{os.path.basename(package)}"
                run("dpkg-deb", "--extract", package, root)
            unpacking, start = time.monotonic() - start, time.monotonic()
            for table in collect.TABLES:
                collect.output(INSPECT, table, "--format", "csv", f"{folder}/tree")
            alone = time.monotonic() - start
            base = query.connect(f"{folder}/tables")
            files, = base.execute("SELECT count(*) FROM images").fetchone()
            peak = int(re.search(r"at most (\d+) MiB", said)[1])
            print(f"\n{len(packages)} packages, {files} ELF files: {seconds:.1f} s, {len(packages) / seconds:.1f} packages and "
                  f"{files / seconds:.0f} files a second, at most {peak} MiB a process. Of the tree: unpacking {unpacking:.1f} s, "
                  f"rebind-inspect alone {alone:.1f} s, {files / alone:.0f} files a second.")
            self.assertLessEqual(peak, 300)
            # A file with several names counts once.
            elf = {os.stat(path).st_ino: path for path in glob.glob(f"{folder}/tree/**", recursive=True, include_hidden=True)
                   if is_elf(path)}.values()
            witness = {"symbols": 0, "undefined": 0, "needed": 0}
            for path in elf:
                text = collect.output("readelf", "-W", "--dyn-syms", "-d", path)
                witness["symbols"] += len(re.findall(r"^ +(?!0:)\d+: ", text, re.MULTILINE))
                witness["needed"] += text.count("(NEEDED)")
                text = collect.output("nm", "-D", "--undefined-only", path)
                witness["undefined"] += len(re.findall(r"^ +[Uwv] ", text, re.MULTILINE))
            ours = {"symbols": "symbols", "undefined": "symbols WHERE NOT isDefined", "needed": "needed"}
            self.assertEqual(witness, {name: base.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for name, table in ours.items()})

    def test_spark_writes_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/packages")
            for package in sorted(glob.glob(f"{os.environ['PACKAGES']}/*.deb"))[:59]:
                shutil.copy(package, f"{folder}/packages")
            with open(f"{folder}/packages/broken_1_all.deb", "wb") as file:
                file.write(b"!<arch>\nno package")
            collected(f"{folder}/packages", f"{folder}/tables")
            killer = threading.Thread(target=kill_an_executor, daemon=True)
            killer.start()
            start = time.monotonic()
            spark.write(session(), [f"{folder}/packages"], f"{folder}/spark", INSPECT, 4 << 20)
            killer.join(60)
            self.assertEqual(len(KILLED), 1)
            print(f"\n60 packages in Spark, with an executor killed: {time.monotonic() - start:.1f} s")
            self.assertEqual(everything(f"{folder}/spark"), everything(f"{folder}/tables"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
