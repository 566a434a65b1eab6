# Reads Tests/Fixtures/Recipes, which says how recipes are written, and prints a line for each that
# is run, a variant each:
#
#   name|machines|attributes|compilers|sources|flags|libraries|environment|arguments|quick-arguments|unless|prints
#
# A library is `library NAME SOURCE FLAG...` or `linked NAME SOURCE FLAG...`; the lines of `prints`
# are joined by bars. A native variant has the attribute no-cross. The files of targets stand behind
# the sources, and their -I behind the flags. The variables `out`, `fixtures` and `core` take the places
# of %, ~ and @core. `sources` is the folder of the sources, and `files` are the C and assembler files
# of all targets, as TARGET/FILE. The first line that is wrong ends it with an error, the same that
# Tests/TestSupport/RecipeReader.swift gives.

BEGIN {
  words = " machines attributes compilers sources targets flags arguments quick-arguments environment "
  texts = " prints unless "
  lists = " library linked variant native "
  known = " no-core no-cross no-qemu serial "
}

/\|/ { fail(FNR, "a bar separates what is read") }
/^[ \t]*(#|$)/ { next }
/^[^ \t]/ { begin(); next }
count == 0 { fail(FNR, "a line of no recipe") }

{
  keyword = $1
  rest = trimmed(substr($0, index($0, keyword) + length(keyword)))
  if (keyword == "like") take_over()
  else if (has(words, keyword)) set(joined(rest))
  else if (has(texts, keyword)) set(rest)
  else if (has(lists, keyword)) add()
  else fail(FNR, "unknown keyword '" keyword "'")
}

END {
  if (failed) exit 1
  if (count == 0) fail(FNR, "no recipe")
  finish()
  for (i = 1; i <= count; i++) print_recipe(i)
}

# MARK: Lines

function begin(    colon) {
  if (count > 0) finish()
  colon = index($0, ":")
  name = trimmed(substr($0, 1, colon - 1))
  if (name == "") fail(FNR, "a recipe begins with its name and a colon")
  if (trimmed(substr($0, colon + 1)) == "") fail(FNR, "'" name "' does not say what it shows")
  if (name in numbers) fail(FNR, "'" name "' is there twice")
  count++
  numbers[name] = count
  names[count] = name
  first_line[count] = FNR
  is_fresh = 1
  # The settings that the recipe makes itself, rather than taking them over.
  delete own
}

function take_over(    other, i, parts) {
  if (!(rest in numbers) || rest == names[count]) fail(FNR, "no recipe '" rest "' before it")
  if (!is_fresh) fail(FNR, "'like' comes first")
  is_fresh = 0
  other = numbers[rest]
  split(words texts, parts, /  */)
  for (i in parts)
    if ((other, parts[i]) in value) value[count, parts[i]] = value[other, parts[i]]
  for (i = 1; i <= libraries[other]; i++) {
    library_name[count, i] = library_name[other, i]
    library[count, i] = library[other, i]
  }
  libraries[count] = libraries[other]
  for (i = 1; i <= variants[other]; i++) {
    variant_name[count, i] = variant_name[other, i]
    variant[count, i] = variant[other, i]
    is_native[count, i] = is_native[other, i]
  }
  variants[count] = variants[other]
}

function set(text,    i, parts, number) {
  is_fresh = 0
  if (text == "") fail(FNR, "'" keyword "' says nothing")
  if (keyword == "prints" && (keyword in own)) text = value[count, keyword] "|" text
  else claim(keyword, keyword)
  value[count, keyword] = text
  number = split(text, parts, " ")
  for (i = 1; i <= number; i++) {
    if (keyword == "sources") check_source(parts[i])
    if (keyword == "targets" && files_of(parts[i]) == "")
      fail(FNR, "no C sources in '" parts[i] "'")
    if (keyword == "attributes" && !has(known, parts[i]))
      fail(FNR, "unknown attribute '" parts[i] "'")
    if (keyword == "compilers" && parts[i] !~ /^(gcc|clang)([+][a-z,]+)?$/)
      fail(FNR, "unknown compiler '" parts[i] "'")
    if (keyword == "environment" && index(parts[i], "=") < 2)
      fail(FNR, "'" parts[i] "' is no variable")
  }
}

# The two sides of `NAME = WORD...`.
function add(    equals, label, text, i, parts) {
  is_fresh = 0
  equals = index(rest " ", " = ")
  label = equals > 0 ? trimmed(substr(rest, 1, equals - 1)) : rest
  text = equals > 0 ? joined(substr(rest, equals + 2)) : ""
  if (label == "" || label ~ /^=/) fail(FNR, "'" keyword "' has no name")
  if (keyword == "library" || keyword == "linked") {
    claim("library " label, label)
    split(text, parts, " ")
    check_source(parts[1])
    for (i = 1; i <= libraries[count]; i++) if (library_name[count, i] == label) break
    if (i > libraries[count]) libraries[count] = i
    library_name[count, i] = label
    library[count, i] = keyword " " label " " text
  } else {
    if (!("variants" in own)) variants[count] = 0
    own["variants"] = 1
    claim("variant " label, label)
    i = ++variants[count]
    variant_name[count, i] = label
    variant[count, i] = text
    is_native[count, i] = keyword == "native"
  }
}

function claim(key, label) {
  if (key in own) fail(FNR, "'" label "' is there twice")
  own[key] = 1
}

# Checks of a recipe that has been read as a whole.
function finish(    line, i, uses) {
  line = first_line[count]
  if (!((count, "sources") in value)) fail(line, "'" names[count] "' has no sources")
  if (!((count, "prints") in value)) fail(line, "'" names[count] "' prints nothing")
  uses = value[count, "flags"] value[count, "arguments"] value[count, "quick-arguments"]
  for (i = 1; i <= libraries[count]; i++) uses = uses library[count, i]
  uses = replaced(uses value[count, "environment"], "@core", "")
  if (index(uses, "@") == 0) {
    if ("variants" in own) fail(line, "'" names[count] "' has variants, and no @ for them")
    variants[count] = 0
  }
  for (i = variants[count] > 0; i <= variants[count]; i++) {
    if (test_name(count, i) in tests) fail(line, "'" test_name(count, i) "' is there twice")
    tests[test_name(count, i)] = 1
  }
}

# Of a variant; 0 is for the recipe that has none.
function test_name(i, number) {
  return names[i] (number > 0 ? ", " variant_name[i, number] : "")
}

function check_source(name,    text) {
  if (name == "" || (getline text < (sources "/" name)) < 0)
    fail(FNR, "no source '" name "'")
  close(sources "/" name)
}

# Of targets, after a space each.
function files_of(targets,    i, j, wanted, parts, all) {
  split(targets, wanted, " ")
  split(files, parts, " ")
  for (i = 1; i in wanted; i++)
    for (j = 1; j in parts; j++)
      if (index(parts[j], wanted[i] "/") == 1) all = all " ../../Sources/" parts[j]
  return all
}

function headers_of(targets,    i, wanted, all) {
  split(targets, wanted, " ")
  for (i = 1; i in wanted; i++) all = all " -I ~/../../Sources/" wanted[i] "/include"
  return all
}

# MARK: Output

function print_recipe(i,    number) {
  for (number = variants[i] > 0; number <= variants[i]; number++)
    print_test(i, test_name(i, number), variant[i, number], is_native[i, number])
}

function print_test(i, name, flags, native,    attributes, all, number) {
  attributes = value[i, "attributes"]
  if (native && !has(" " attributes " ", "no-cross")) attributes = joined(attributes " no-cross")
  for (number = 1; number <= libraries[i]; number++)
    all = all (number > 1 ? " " : "") library[i, number]
  print name "|" default_to(value[i, "machines"], "*") "|" attributes "|" \
    default_to(value[i, "compilers"], "gcc clang") "|" \
    value[i, "sources"] files_of(value[i, "targets"]) "|" \
    filled(value[i, "flags"] headers_of(value[i, "targets"]), flags) "|" filled(all, flags) "|" \
    filled(value[i, "environment"], flags) "|" filled(value[i, "arguments"], flags) "|" \
    filled(value[i, "quick-arguments"], flags) "|" value[i, "unless"] "|" value[i, "prints"]
}

function filled(text, flags) {
  text = replaced(text, "@core", "\001")
  text = joined(replaced(text, "@", flags))
  text = replaced(replaced(text, "%", out), "~", fixtures)
  return replaced(text, "\001", core)
}

# MARK: Text

function default_to(text, other) { return text == "" ? other : text }
function has(list, word) { return index(list, " " word " ") > 0 }

function trimmed(text) {
  gsub(/^[ \t]+|[ \t]+$/, "", text)
  return text
}

function joined(text) {
  gsub(/[ \t]+/, " ", text)
  return trimmed(text)
}

# gsub would take & and backslashes of the new text for its own.
function replaced(text, old, new,    place, all) {
  while ((place = index(text, old)) > 0) {
    all = all substr(text, 1, place - 1) new
    text = substr(text, place + length(old))
  }
  return all text
}

function fail(line, reason,    file) {
  failed = 1
  file = FILENAME
  sub(/.*\//, "", file)
  print file ":" line ": " reason >"/dev/stderr"
  # To END.
  exit 1
}
