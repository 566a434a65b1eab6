"""Builds fixtures by make, which makes anew what has changed.

A folder for each machine has the core as a library, for each compiler, and a folder for each fixture, with program and
libraries. Fixtures that compile a source alike share its object file.
"""

import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess

from recipes import SOURCES, TARGETS, Mistake, find, folders

CORE = os.path.join(TARGETS, "CRebind")
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
INCLUDES = ["-I", f"{CORE}/include", "-I", CORE, "-I", f"{TARGETS}/CRebindAnnotations/include"]
# The options of programs with a sanitizer.
SANITIZING = "-fno-sanitize-recover=all -O1"

# Options that only the linker reads, and those that only the compiler reads.
LINKING = re.compile(r"-(Wl,|l|L|fuse-ld|static|shared|pie$|no-pie$|rdynamic|nostartfiles|nostdlib|s$)")
COMPILING = re.compile(r"-(D|I|std=|W(?!l,))")


def is_of_today(target):
    """Whether the recorded dependencies of an object can be met: its source may have moved since."""
    try:
        with open(target + ".d", encoding="utf-8") as file:
            source = re.search(r":[\s\\]*(\S+)", file.read())
    except OSError:
        return False
    if source is None or os.path.exists(source[1]):
        return True
    if os.path.exists(target):
        os.remove(target)
    return False


class Compiler:
    """A compiler of fixtures: `gcc`, or `clang+address`, on a machine."""

    def __init__(self, name, command, optimisation):
        self.name, self.command = name, command
        self.sanitizers = name.partition("+")[2]
        self.instrumenting = []
        if self.sanitizers:
            self.instrumenting = [f"-fsanitize={self.sanitizers}", "-DCREBIND_CHECKS", *SANITIZING.split()]
        self.optimisation = [] if self.sanitizers else optimisation


class Folder:
    """The products for a machine.

    - path: where
    - compilers: by their names in recipes
    - modes: options for whatever is built; dynamic: and for programs that are not static
    - sources: those of the core
    """

    def __init__(self, path, compilers, modes=(), dynamic=(), sources=None):
        if re.search(r"[\s%#:$]", path + SOURCES):
            raise Mistake(f"make takes no such folder: {path}")
        self.path, self.compilers = path, compilers
        self.modes, self.dynamic = list(modes), list(dynamic)
        self.sources = sources or core_sources()
        self.rules = {}  # by target: (prerequisites, command)
        self.identity = identity(compilers.values())

    def place(self, test, compiler):
        """The folder of a test's program."""
        return os.path.join(self.path, compiler.name, test.folder)

    # MARK: Rules

    def add(self, test, compiler):
        """The rules for a test's program, whose path it returns."""
        folder = self.place(test, compiler)
        plain = self.compilers[compiler.name.partition("+")[0]]
        built = []
        for name, source, flags, _ in test.libraries:
            # Libraries are not instrumented: they stand for other people's.
            soname = [f"-Wl,-soname,{os.path.basename(name)}"] if os.path.basename(name).startswith("lib") else []
            self.link(
                os.path.join(folder, name), plain, [source], ["-shared", "-fPIC", *soname],
                self.filled(flags, folder, plain), built, any(flag.startswith("-l") for flag in flags), folder)
            built.append(os.path.join(folder, name))
        linked = [f"-l:{name}" for name, _, _, is_linked in test.libraries if is_linked]
        # A library may call the core in the program.
        core = [] if "no-core" in test.attributes else [self.core(compiler)]
        is_static = any(flag in ("-static", "-static-pie") for flag in test.flags)
        program = os.path.join(folder, "program")
        self.link(
            program, compiler, test.sources,
            compiler.instrumenting + ["-pthread"] + self.filled(test.flags, folder, plain)
            + ([] if is_static else self.dynamic),
            linked + core, built, bool(built) and not is_static and "no-rpath" not in test.attributes, folder)
        return program

    def add_probe(self, compiler):
        """The rule for an empty program: whether it runs tells whether programs of the compiler do."""
        folder = os.path.join(self.path, compiler.name, ".probe")
        self.link(os.path.join(folder, "program"), compiler, [find("probe.c")], compiler.instrumenting, [], [], False, folder)

    def core(self, compiler):
        """The core as a static library, to stand behind sources."""
        archive = os.path.join(self.path, f"core-{compiler.name}.a")
        if archive not in self.rules:
            flags = compiler.instrumenting + compiler.optimisation + ["-fPIC", "-pthread"]
            objects = [self.object(compiler, source, flags, f"core-{compiler.name}") for source in self.sources]
            # Each rule's command ends with the name of what it makes.
            self.rules[archive] = (
                objects, f"rm -f {archive}.new && add() {{ ar rcs \"$1\" {' '.join(objects)}; }} && add {archive}")
        return archive

    def filled(self, flags, folder, compiler):
        """The words, with the places that stand in them."""
        return [self.core(compiler) if flag == "@core"
                else flag.replace("~/", f"{SOURCES}/") if "~/.." in flag
                else re.sub(r"~/([\w./-]+)", lambda match: find(match[1]), flag).replace("%", folder)
                for flag in flags]

    def object(self, compiler, source, flags, folder="objects"):
        """The rule for an object file; in `objects`, fixtures share those that are compiled alike."""
        standard = "-std=gnu++17" if source.endswith(".cpp") else "-std=gnu11"
        words = [*compiler.command, standard, *WARNINGS, *(mode for mode in self.modes if not LINKING.match(mode)), *INCLUDES,
                 *(word for path in folders() for word in ("-iquote", path)),
                 *(flag for flag in flags if not LINKING.match(flag) and not flag.startswith("/")), "-c", source]
        name = os.path.splitext(os.path.basename(source))[0]
        if folder == "objects":
            name += f"-{digest(words, self.identity)}"
        target = os.path.join(self.path, folder, f"{name}.o")
        self.rules[target] = ([source], f"{quoted(words)} -MMD -MP -MT {target} -MF {target}.d -o {target}")
        return target

    def link(self, product, compiler, sources, flags, libraries, built, finds_others, folder):
        """The rule for a program or library.

        - libraries: options and files behind the objects
        - built: what has to be there before
        - finds_others: whether it is linked with others in the fixture's folder
        """
        # A library's options stand behind its source.
        options = flags + libraries
        sources = sources + [option for option in options if option.endswith((".c", ".S"))]
        objects = [self.object(compiler, source, options) for source in sources]
        depth = os.path.relpath(product, folder).count("/")
        paths = [f"-L{folder}", "-Wl,-rpath,$ORIGIN" + "/.." * depth] if finds_others else []
        words = [*compiler.command, *self.modes, *(flag for flag in flags if not COMPILING.match(flag)), *objects,
                 *(word for word in libraries if not COMPILING.match(word) and not word.endswith((".c", ".S"))), *paths,
                 *(["-lstdc++"] if any(source.endswith(".cpp") for source in sources) else []),
                 *threads(compiler), "-o", product]
        needed = objects + built + [word for word in libraries if word.endswith(".a")]
        needed += [file for word in words for file in re.findall(r"=(/.+)", word) if file.startswith(SOURCES)]
        self.rules[product] = (needed, quoted(words))

    # MARK: Making

    def make(self, jobs=2, quiet=False):
        """Makes what has changed, and goes on behind what fails, which leaves its output in TARGET.log. Returns
        make's status."""
        os.makedirs(self.path, exist_ok=True)
        with open(os.path.join(self.path, "lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # Exit tests are processes of their own.
            self.forget()
            for folder in {os.path.dirname(target) for target in self.rules}:
                os.makedirs(folder, exist_ok=True)
            makefile = os.path.join(self.path, "Makefile")
            with open(makefile, "w", encoding="utf-8") as file:
                file.write("all: " + " ".join(self.rules) + "\n")
                for target, (needed, command) in self.rules.items():
                    command = command.replace("$", "$$")
                    # A compiler that is killed leaves nothing that counts as made.
                    file.write(f"{target}: {' '.join(needed)}\n\t@{command}.new >{target}.log 2>&1 "
                               f"&& mv {target}.new {target} && rm {target}.log "
                               f"|| {{ cat {target}.log; rm -f {target} {target}.new; false; }}\n")
                objects = [target for target in self.rules if target.endswith(".o")]
                file.write(f"-include {' '.join(target + '.d' for target in objects if is_of_today(target))}\n")
            status = subprocess.run(
                ["make", "--no-print-directory", "--keep-going", f"--jobs={jobs}", "--file", makefile],
                stdout=subprocess.DEVNULL if quiet else None, stderr=subprocess.STDOUT if quiet else None,
                check=False).returncode
            if status != 0:  # A product that lacks a part is an earlier one. Parts come before what they are parts of.
                for target, (needed, _) in self.rules.items():
                    if os.path.exists(target) and not all(map(os.path.exists, needed)):
                        os.remove(target)
            return status

    def log(self, targets):
        """The output of compilers and linkers for targets, and their parts, that they could not make."""
        texts = []
        for target in targets:
            if os.path.exists(f"{target}.log"):
                with open(f"{target}.log", encoding="utf-8", errors="replace") as file:
                    texts.append(file.read())
            texts.append(self.log([part for part in self.rules.get(target, ([], ""))[0] if part in self.rules]))
        return "".join(texts)

    def forget(self):
        """Removes products whose commands have changed."""
        state = os.path.join(self.path, "commands.json")
        now = {target: digest([command], self.identity) for target, (_, command) in self.rules.items()}
        try:
            with open(state, encoding="utf-8") as file:
                before = json.load(file)
        except (OSError, ValueError):
            before = {}
        for target in before:
            if target in now and before[target] != now[target] and os.path.exists(target):
                os.remove(target)
        with open(state, "w", encoding="utf-8") as file:
            json.dump({**before, **now}, file)


def core_sources():
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(CORE) for name in names
                  if name.endswith(".c"))


def threads(compiler):
    """ThreadSanitizer in a Swift toolchain's clang asks for libdispatch, which is not where the linker looks."""
    if not compiler.name.startswith("clang") or compiler.sanitizers != "thread":
        return []
    folder = os.path.normpath(os.path.join(os.path.realpath(compiler.command[0]), "../../lib/swift/linux"))
    return [f"-L{folder}", "-lBlocksRuntime", "-ldispatch", f"-Wl,-rpath,{folder}"] if os.path.isdir(folder) else []


def identity(compilers):
    """Tells compilers, linkers and C libraries from their successors."""
    tools = {compiler.command[0] for compiler in compilers} | {"ld", "ld.gold", "ld.lld", "as", "musl-gcc"}
    files = [shutil.which(tool) for tool in sorted(tools)] + ["/usr/include/features.h", "/lib64/ld-linux-x86-64.so.2"]
    states = [(os.path.realpath(file), os.stat(file)) for file in files if file and os.path.exists(file)]
    return " ".join(f"{path} {state.st_size} {state.st_mtime_ns}" for path, state in states)


def digest(words, more):
    return hashlib.sha256("\0".join([*words, more]).encode()).hexdigest()[:12]


def quoted(words):
    return " ".join(map(shlex.quote, words))
