/// Does each thing that the core is asked for once, beside the images that are given. Scripts/work counts
/// what each costs: instructions under callgrind, system calls under strace.

#define _GNU_SOURCE
#include "../loops.h"
#include "../names.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef COUNTS_INSTRUCTIONS
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) (void)0
#endif

/// A write that fails marks a trace: with a name, for the end of the work that is called so. Nothing here calls
/// a rebound name.
static char label[64];
static size_t label_length;
static void mark(size_t length) { syscall(SYS_write, -1, label, length); }

static void append(const char *text) {
  while (*text != 0) label[label_length++] = *text++;
  label[label_length] = 0;
}

static void begin(const char *name, size_t count) {
  const char *const counts[] = {"", " 1", " 10", " 100"};
  label_length = 0;
  append(name);
  append(counts[(count >= 1) + (count >= 10) + (count >= 100)]);
  mark(0);
  CALLGRIND_ZERO_STATS;
}

static void end(void) {
  CALLGRIND_DUMP_STATS_AT(label);
  mark(label_length);
}

static void check(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "work: %s: %s\n", label, what);
  syscall(SYS_exit_group, 1);
}

/// Replacements: addresses only, for nothing is called while they are in place.
static char replacements[2][NAME_COUNT];
static void *originals[NAME_COUNT];

static crebind_rebinding batches[2][NAME_COUNT];
static void fill_batches(void) {
  for (size_t layer = 0; layer < 2; layer++)
    for (size_t i = 0; i < NAME_COUNT; i++)
      batches[layer][i] = (crebind_rebinding){.name = names[i],
                                              .replacement = &replacements[layer][i],
                                              .original = &originals[i]};
}

static void expect_ok(crebind_status status) {
  end();
  check(status == CREBIND_OK, crebind_status_description(status));
}

static crebind_handle *apply(int layer, size_t count) {
  crebind_handle *handle;
  crebind_report report;
  begin(layer == 0 ? "apply" : "apply others", count);
  expect_ok(crebind_apply(batches[layer], count, NULL, &handle, &report, NULL));
  check(report.changed > 100, "too few slots");
  return handle;
}

static void restore(const char *name, size_t count, crebind_handle *handle) {
  begin(name, count);
  expect_ok(crebind_restore(handle, NULL, NULL));
}

static void count_slot(const crebind_slot_info *slot, void *count) {
  (void)slot;
  ++*(size_t *)count;
}

static void change(size_t count) {
  size_t slots = 0;
  crebind_report report;
  crebind_handle *handle = apply(0, count);
  crebind_handle *others = apply(1, count);
  begin("verify", count);
  expect_ok(crebind_verify(handle, &report, NULL));
  restore("restore others", count, others);
  restore("restore", count, handle);
  begin("plan", count);
  expect_ok(crebind_plan(batches[0], count, NULL, count_slot, &slots, NULL));
  check(slots > 100, "too few slots");
}

static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  size_t *count = context;
  if (strcmp(import->definer.soname, "libc.so.6") != 0) return;
  for (size_t i = 0; i < NAME_COUNT && choice->replacement == NULL; i++) {
    if (strcmp(import->name, names[i]) != 0) continue;
    choice->replacement = &replacements[0][*count];
    choice->original = &originals[(*count)++];
  }
}

/// Asks about all that is imported, and rebinds the names.
static void change_imports(void) {
  size_t count = 0;
  crebind_imports *imports;
  begin("apply imports", 0);
  expect_ok(crebind_apply_imports(choose, &count, NULL, &imports, NULL, NULL));
  check(count > 50, "too few names");
  begin("restore imports", 0);
  expect_ok(crebind_restore_imports(imports, NULL, NULL));
}

enum { CALLS = 1000 };
static pid_t (*original_getppid)(void);
static int call_count;
static pid_t count_call(void) { return call_count++, 0; }

/// The cost of a dlopen, and of a call, in a program that has rebound something else than dlopen calls.
static void use(const char *library) {
  crebind_handle *handle;
  enum { COUNT = 10 };
  const crebind_rebinding *rebindings = &batches[0][NAME_COUNT - COUNT];
  check(crebind_apply(rebindings, COUNT, NULL, &handle, NULL, NULL) == CREBIND_OK, "no apply");
  begin("dlopen, refresh", 0);
  void *image = dlopen(library, RTLD_NOW);
  expect_ok(crebind_refresh(NULL));
  check(image != NULL, "no library");

  const crebind_rebinding counter = {
      .name = "getppid", .replacement = (void *)count_call, .original = (void **)&original_getppid};
  check(crebind_apply(&counter, 1, NULL, &handle, NULL, NULL) == CREBIND_OK, "no apply");
  begin("a thousand calls", 0);
  for (int i = 0; i < CALLS; i++) getppid();
  end();
  check(call_count == CALLS, "calls were missed");
}

/// Arguments: a number of names, or 0; the library that loads all others; one to load later.
int main(int count, char **arguments) {
  if (count != 4) return 64;
  check(dlopen(arguments[2], RTLD_NOW) != NULL, "no libraries");
  size_t name_count = strtoul(arguments[1], NULL, 10);
  fill_batches();
  begin("scan of every r_info", 0);
  struct census census = scan();
  end();
  check(census.images > 300, "too few images");
  if (name_count != 0) {
    change(name_count);
  } else {
    change_imports();
    use(arguments[3]);
  }
  syscall(SYS_exit_group, 0);
}
