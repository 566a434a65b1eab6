"""The libraries that glibc's loader says it would load for a file, in its order."""

import json
import os
import re
import subprocess
import sys

from tables import Library


def loader(program):
    """The loader of this machine's programs: that of the Python that runs here."""
    command = [program, "segments", "--format", "json", "--", os.path.realpath(sys.executable)]
    files = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["files"]
    return files[0]["interpreter"]


def read(loader, path):
    """The rows, or its error. The program itself does not run."""
    # Asked as ldd does: with --list the loader would end at the first library that is missing.
    result = subprocess.run(
        [loader, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C", "LD_TRACE_LOADED_OBJECTS": "1"})
    rows, missing = [], []
    for line in result.stdout.decode(errors="surrogateescape").splitlines():
        # `libc.so.6 => /lib/libc.so.6 (0x…)`, `/lib64/ld.so (0x…)`, or `libfoo.so => not found`.
        match = re.match(r"\t(.*) => (.*?)(?: \(0x[0-9a-f]+\))?$", line)
        if match and match[2] == "not found":
            missing.append(Library(match[1], None))
        elif match:
            rows.append(Library(os.path.basename(match[1]), match[2]))
        else:
            match = re.match(r"\t(/.*) \(0x[0-9a-f]+\)$", line)
            if match:
                rows.append(Library(os.path.basename(match[1]), match[1]))
    if result.returncode:
        return result.stderr.decode(errors="surrogateescape").strip()
    # A missing one is looked for again, and listed again, for each that needs it.
    return rows + list(dict.fromkeys(missing))
