"""Reads Tests/Fixtures/Recipes, whose head says how recipes are written."""

import fnmatch
import functools
import os
import re

SOURCES = os.path.dirname(os.path.abspath(__file__))
TARGETS = os.path.normpath(os.path.join(SOURCES, "../../Sources"))

# A keyword's line has words, a text, or the two sides of `NAME = WORD...`.
WORDS = {"machines", "attributes", "compilers", "sources", "targets", "flags", "rounds",
         "arguments", "quick-arguments", "environment"}
TEXTS = {"prints", "unless"}
NAMED = {"library", "linked", "variant", "native"}
ATTRIBUTES = {"no-core", "no-cross", "no-qemu", "no-rpath", "serial"}
COMPILER = re.compile(r"(gcc|clang)(\+[a-z,]+)?")


class Mistake(Exception):
    """A line of a table that cannot be read."""


class Recipe:
    """A block of the table: how a fixture is built and run, and what it prints. `%` is the folder of
    what is built, `~` the folder of the sources, and `@core` the core's archive."""

    def __init__(self, name, shows, line):
        self.name, self.shows, self.line = name, shows, line
        self.lines = {}  # by keyword: words, a text, or for `prints` texts
        self.libraries = {}  # by name: (source, flags, whether it is linked)
        self.variants = []  # (name, words, whether it is native)
        self.own = set()  # the settings that are made here, rather than taken over

    def words(self, keyword):
        return self.lines.get(keyword, [])

    def tests(self):
        """A test for each variant."""
        if not self.variants:
            return [Test(self, self.name, [], False)]
        return [Test(self, f"{self.name}, {name}", words, is_native)
                for name, words, is_native in self.variants]

    def has_place_for_variants(self):
        words = [word for keyword in ("flags", "arguments", "quick-arguments", "environment")
                 for word in self.words(keyword)]
        words += [flag for _, flags, _ in self.libraries.values() for flag in flags]
        return any("@" in word.replace("@core", "") for word in words)


class Test:
    """A recipe with one of its variants filled in."""

    def __init__(self, recipe, name, variant, is_native):
        def filled(words):
            text = " ".join(words).replace("@core", "\0").replace("@", " ".join(variant))
            return text.replace("\0", "@core").split()

        self.name, self.shows = name, recipe.shows
        self.folder = re.sub(r"[^\w.+-]+", "-", name)
        self.machines = recipe.words("machines") or ["*"]
        self.attributes = list(recipe.words("attributes"))
        if is_native and "no-cross" not in self.attributes:
            self.attributes.append("no-cross")
        self.compilers = recipe.words("compilers") or ["gcc", "clang"]
        self.sources = [find(name) for name in recipe.words("sources")]
        self.flags = filled(recipe.words("flags"))
        for target in recipe.words("targets"):
            self.sources += files_of(target)
            self.flags.append(f"-I{TARGETS}/{target}/include")
        self.libraries = [
            (name, find(source), filled(flags), is_linked)
            for name, (source, flags, is_linked) in recipe.libraries.items()]
        self.environment = filled(recipe.words("environment"))
        rounds = recipe.words("rounds") or [""]
        arguments = recipe.words("arguments") or default_arguments(recipe)
        quick = recipe.words("quick-arguments") or arguments
        self.arguments = filled(word.replace("#", rounds[0]) for word in arguments)
        self.quick_arguments = filled(word.replace("#", rounds[-1]) for word in quick)
        self.prints = recipe.words("prints")
        self.unless = recipe.lines.get("unless", "")

    @property
    def first_compiler(self):
        """The first one without a sanitizer, or else the first one."""
        return next((name for name in self.compilers if "+" not in name), self.compilers[0])

    def is_for(self, machine):
        patterns = " ".join(self.machines).removeprefix("!").split()
        matches = any(fnmatch.fnmatchcase(machine, pattern) for pattern in patterns)
        return matches != self.machines[0].startswith("!")


def default_arguments(recipe):
    """The rounds, and the libraries that the program opens."""
    names = [name for name, (_, _, is_linked) in recipe.libraries.items() if not is_linked]
    opened = [f"%/{name}" for name in names if not os.path.basename(name).startswith("lib")]
    return ["#"] * ("rounds" in recipe.lines) + opened


def tests(path=os.path.join(SOURCES, "Recipes")):
    """The tests of a table, in its order."""
    with open(path, encoding="utf-8") as file:
        return [test for recipe in read(file, os.path.basename(path)) for test in recipe.tests()]


def read(lines, file):
    recipes, names, folders_of_tests, number = {}, set(), set(), 0

    def fail(reason, line=None):
        raise Mistake(f"{file}:{line or number}: {reason}")

    def finish(recipe):
        """Checks of a recipe that has been read as a whole."""
        default = recipe.name.partition(",")[0].replace(" ", "-") + ".c"
        if find(default):
            recipe.lines.setdefault("sources", [default])
        for keyword, lack in ("sources", "has no sources"), ("prints", "prints nothing"):
            if keyword not in recipe.lines:
                fail(f"'{recipe.name}' {lack}", recipe.line)
        if not recipe.has_place_for_variants():
            if "variants" in recipe.own:
                fail(f"'{recipe.name}' has variants, and no @ for them", recipe.line)
            recipe.variants = []
        for test in recipe.tests():
            if test.name in names:
                fail(f"'{test.name}' is there twice", recipe.line)
            if test.folder in folders_of_tests:
                fail(f"'{test.name}' has the folder of another one, {test.folder}", recipe.line)
            names.add(test.name)
            folders_of_tests.add(test.folder)

    recipe = None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line[0].isspace():
            if recipe:
                finish(recipe)
            recipe = begin(line, number, recipes, fail)
        elif recipe is None:
            fail("a line of no recipe")
        else:
            keyword, _, rest = line.strip().partition(" ")
            take(recipe, keyword, rest.strip(), recipes, fail)
    if recipe is None:
        fail("no recipe", number or 1)
    finish(recipe)
    return recipes.values()


def begin(line, number, recipes, fail):
    name, _, shows = (part.strip() for part in line.partition(":"))
    if not name or ":" not in line:
        fail("a recipe begins with its name and a colon")
    if not shows:
        fail(f"'{name}' does not say what it shows")
    if name in recipes:
        fail(f"'{name}' is there twice")
    recipes[name] = Recipe(name, shows, number)
    return recipes[name]


def take(recipe, keyword, rest, recipes, fail):
    """Takes a line of a recipe."""
    def claim(key, label):
        if key in recipe.own:
            fail(f"'{label}' is there twice")
        recipe.own.add(key)

    if keyword == "like":
        other = recipes.get(rest)
        if other in (None, recipe):
            fail(f"no recipe '{rest}' before it")
        if recipe.own:
            fail("'like' comes first")
        recipe.lines = dict(other.lines)
        recipe.libraries, recipe.variants = dict(other.libraries), list(other.variants)
    elif keyword in WORDS | TEXTS:
        if not rest:
            fail(f"'{keyword}' says nothing")
        if keyword == "prints" and keyword in recipe.own:
            recipe.lines[keyword] = recipe.lines[keyword] + [rest]
            return
        claim(keyword, keyword)
        if keyword == "arguments" and "quick-arguments" not in recipe.own:
            recipe.lines.pop("quick-arguments", None)
        recipe.lines[keyword] = (
            [rest] if keyword == "prints" else rest if keyword == "unless" else rest.split())
        for word in rest.split():
            check(keyword, word, fail)
        # One `!` counts for all patterns.
        if keyword == "machines" and any(word.startswith("!") for word in rest.split()[1:]):
            fail("'!' comes before the first pattern only")
    elif keyword in NAMED:
        name, equals, words = f"{rest} ".partition(" = ")
        name, words = name.strip(), words.split()
        if not name or name.startswith("="):
            fail(f"'{keyword}' has no name")
        if keyword in ("library", "linked"):
            for each in name.split():
                claim(f"library {each}", each)
                check("sources", words[0] if words else "", fail)
                recipe.libraries[each] = (words[0], words[1:], keyword == "linked")
        else:
            if "variants" not in recipe.own:
                recipe.variants = []
            recipe.own.add("variants")
            claim(f"variant {name}", name)
            recipe.variants.append((name, words, keyword == "native"))
    else:
        fail(f"unknown keyword '{keyword}'")
    recipe.own.add("")  # Something stands in it: `like` would come too late.


def check(keyword, word, fail):
    """Fails at a word that its keyword does not take."""
    if keyword == "sources" and not find(word):
        fail(f"no source '{word}'")
    if keyword == "targets" and not files_of(word):
        fail(f"no C sources in '{word}'")
    if keyword == "attributes" and word not in ATTRIBUTES:
        fail(f"unknown attribute '{word}'")
    if keyword == "compilers" and not COMPILER.fullmatch(word):
        fail(f"unknown compiler '{word}'")
    if keyword == "environment" and word.find("=") < 1:
        fail(f"'{word}' is no variable")


@functools.cache
def folders():
    """The folders of the sources, of which no two files have one name."""
    return [SOURCES] + sorted(entry.path for entry in os.scandir(SOURCES) if entry.is_dir())


@functools.cache
def find(name):
    """The path of a file in whatever folder of Tests/Fixtures it is, or one like `../../Sources/a.c`. Empty
    if it is not there."""
    places = [os.path.normpath(os.path.join(folder, name)) for folder in folders()]
    return next((place for place in places if name and os.path.isfile(place)), "")


@functools.cache
def files_of(target):
    """The C and assembler files directly in the folder of a target."""
    folder = os.path.join(TARGETS, target)
    if "/" in target or not os.path.isdir(folder):
        return []
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith((".c", ".S")))
