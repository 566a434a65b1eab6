/// By which other names may the calls of a function go?

#if defined(__linux__)
#define _GNU_SOURCE
#include "CRebind.h"
#include "runtime/runtime.h"

#include <errno.h>

/// Before and after the name: fortified, large-file, relative and internal ones.
static const struct {
  const char *prefix, *suffix;
} patterns[] = {
    {"", "64"},     {"__", "_2"},      {"__", "64_2"},       {"__", "_chk"}, {"", "at"},
    {"", "at64"},   {"__", "at_2"},    {"__", ""},           {"_", ""},      {"__libc_", ""},
    {"__x", ""},    {"__x", "64"},     {"__isoc99_", ""},    {"__isoc23_", ""},
    {"__GI_", ""},  {"", "_nocancel"}, {"__", "_nocancel"}, {"", "_unlocked"},
};

enum {
  PATTERNS = sizeof patterns / sizeof patterns[0],
  /// The most that a pattern adds to a name, with the ending NUL.
  LONGEST = 24,
};

/// Puts a pattern around the name.
static void add_pattern(char *to, size_t pattern, const char *name, size_t length) {
  size_t before = crebind_length(patterns[pattern].prefix);
  memcpy(to, patterns[pattern].prefix, before);
  memcpy(to + before, name, length);
  memcpy(to + before + length, patterns[pattern].suffix,
         crebind_length(patterns[pattern].suffix) + 1);
}

/// Takes a pattern away from the name; false if it has not got it.
static bool remove_pattern(char *to, size_t pattern, const char *name, size_t length) {
  size_t before = crebind_length(patterns[pattern].prefix);
  size_t behind = crebind_length(patterns[pattern].suffix);
  if (length <= before + behind
      || !crebind_equal(name + length - behind, patterns[pattern].suffix))
    return false;
  for (size_t i = 0; i < before; i++)
    if (name[i] != patterns[pattern].prefix[i]) return false;
  memcpy(to, name + before, length - before - behind);
  to[length - before - behind] = 0;
  return true;
}

/// Calls that compilers and the headers of C libraries turn into others.
static const struct {
  const char *name, *made;
} rewritten[] = {
    {"printf", "puts"},         {"printf", "putchar"},
    {"fprintf", "fwrite"},      {"fprintf", "fputc"},
    {"fprintf", "fputs"},       {"fputs", "fwrite"},
    {"fputs", "fputc"},         {"fgetc", "getc"},
    {"fgetc", "_IO_getc"},      {"getc", "fgetc"},
    {"getc", "_IO_getc"},       {"fputc", "putc"},
    {"fputc", "_IO_putc"},      {"putc", "fputc"},
    {"putc", "_IO_putc"},       {"atexit", "__cxa_atexit"},
    {"toupper", "__ctype_toupper_loc"}, {"tolower", "__ctype_tolower_loc"},
};

crebind_status crebind_other_names(const char *name, crebind_name_visitor *visit, void *context) {
  if (name == NULL || visit == NULL) return CREBIND_INVALID_ARGUMENT;
  int saved_errno = errno;
  struct crebind_vector bytes = CREBIND_VECTOR(char);
  size_t length = crebind_length(name);
  char *string = crebind_vector_append(&bytes, length + LONGEST);
  errno = saved_errno;
  if (string == NULL) return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < sizeof rewritten / sizeof rewritten[0]; i++)
    if (crebind_equal(name, rewritten[i].name)) visit(rewritten[i].made, context);
  for (size_t i = 0; i < PATTERNS; i++) {
    add_pattern(string, i, name, length);
    visit(string, context);
    if (remove_pattern(string, i, name, length)) visit(string, context);
  }
  crebind_vector_free(&bytes);
  return CREBIND_OK;
}
#endif
