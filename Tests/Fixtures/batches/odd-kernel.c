/// Rare answers of the kernel: threads in each state, files of /proc that are cut short or look
/// otherwise, calls that are interrupted, and calls that an old kernel lacks. The files of
/// /proc are written here, and some calls are answered here.
///
/// Usage: odd-kernel FOLDER PLUGIN DEFINER
///   PLUGIN: section-plugin.c without a build ID. DEFINER: sweep.c's, with symbols beside code.

#define _GNU_SOURCE
#include "patching/settle.h"
#include "steps.h"
#include "failing-calls.h"

// MARK: - The kernel

static char folder[PATH_MAX];

/// The start of a path that leads to the folder, from behind; NULL for none.
static const char *moved_path;
/// The calls that fail, by their number, and how often; -1 for always.
static struct {
  long number;
  long result, times;
} answers[4];
static long reads, sleeps;
/// Nanoseconds of a clock that runs with each sleep.
static bool has_clock, has_clock_stopped;
static int64_t now;
/// The processor time of a thread whose number ends with the digit.
static uint64_t used[10], used_by_sleep[10];

/// The handler's own calls are granted.
static long call(long number, long a, long b, long c, long d) {
  return crebind_raw_call(number, a, b, c, d, 0, IS_GRANTED);
}

static bool answer_clock(long clock, long *time, long *result) {
  if (!has_clock) return false;
  uint64_t value;
  if (clock == CLOCK_MONOTONIC) {
    value = (uint64_t)now;
  } else {
    value = used[(~(unsigned)clock >> 3) % 10];
    if (value == 0) {
      *result = -EINVAL;
      return true;
    }
  }
  time[0] = (long)(value / 1000000000);
  time[1] = (long)(value % 1000000000);
  *result = 0;
  return true;
}

static bool answer(long number, const long arguments[5], long *result) {
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    if (answers[i].number != number || answers[i].times == 0) continue;
    if (answers[i].times > 0) answers[i].times--;
    *result = answers[i].result;
    return true;
  }
  switch (number) {
  case SYS_read: reads++; return false;
  case SYS_clock_gettime:
    return answer_clock(arguments[0], (long *)arguments[1], result);
  case SYS_nanosleep:
    sleeps++;
    now += has_clock_stopped ? 0 : ((const long *)arguments[0])[1];
    for (int i = 0; i < 10; i++) used[i] += used_by_sleep[i];
    *result = 0;
    return true;
  case SYS_openat: {
    const char *path = (const char *)arguments[1];
    if (moved_path == NULL || strncmp(path, moved_path, strlen(moved_path)) != 0) return false;
    char other[2 * PATH_MAX];
    snprintf(other, sizeof other, "%s%s", folder, path + strlen("/proc/self"));
    *result = call(SYS_openat, AT_FDCWD, (long)other, arguments[2], 0);
    return true;
  }
  }
  return false;
}

/// The next calls with this number return `result`.
static void say(size_t index, long number, long result, long times) {
  answers[index].number = number;
  answers[index].result = result;
  answers[index].times = times;
}

static void listen(void) {
  const long numbers[] = {SYS_read,   SYS_openat,   SYS_clock_gettime, SYS_nanosleep,
                          SYS_statx,  SYS_lseek,    SYS_madvise,       SYS_process_vm_readv,
                          SYS_mprotect, SYS_readlinkat, SYS_getdents64};
  emulation = answer;
  if (!trap_calls(numbers, sizeof numbers / sizeof *numbers)) _exit(77);
}

/// In a child, which the filter stays in.
static void check(void (*body)(void)) {
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    printf("no filters here\n");
    exit(0);
  }
  CHECK(status == 0);
}

static void write_text(const char *name, const char *text, size_t size) {
  char path[2 * PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  CHECK(file >= 0 && write(file, text, size) == (ssize_t)size && close(file) == 0);
}

// MARK: - Threads

static void make_thread(int number, const char *syscall_text, const char *state) {
  char path[2 * PATH_MAX], text[256];
  snprintf(path, sizeof path, "%s/task/%d", folder, number);
  CHECK(mkdir(path, 0755) == 0 || errno == EEXIST);
  snprintf(path, sizeof path, "task/%d/syscall", number);
  if (syscall_text != NULL) write_text(path, syscall_text, strlen(syscall_text));
  snprintf(path, sizeof path, "task/%d/stat", number);
  snprintf(text, sizeof text, "%d (a ) b) %s 1 2 3", number, state == NULL ? "" : state);
  if (state != NULL) write_text(path, text, state[0] == 0 ? 0 : strlen(text));
}

static void remove_thread(int number) {
  char path[2 * PATH_MAX];
  const char *const names[] = {"/syscall", "/stat", ""};
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/task/%d%s", folder, number, names[i]);
    remove(path);
  }
}

static void write_count(int threads) {
  char text[256];
  const char *format = "1 (name) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 %d 0 0 0";
  snprintf(text, sizeof text, format, threads);
  write_text("stat", text, strlen(text));
}

/// How often crebind_settle sleeps because of a thread.
static long sleeps_for(const char *syscall_text, const char *state) {
  enum { NUMBER = 1000007 };
  make_thread(NUMBER, syscall_text, state);
  sleeps = 0;
  crebind_settle();
  remove_thread(NUMBER);
  // Once it has gone, it is not one any more that was let go.
  CHECK(crebind_settle_is_over());
  // Its number may be another thread's by the next time.
  used[7]++;
  return sleeps;
}

static void visit_image(const crebind_image_contents *image, void *context) {
  if (image->is_loader) *(uintptr_t *)context = image->dynamic;
}

static void check_threads(void) {
  char path[2 * PATH_MAX], text[128];
  uintptr_t in_loader = 0;
  CHECK(crebind_images(visit_image, &in_loader, NULL) == CREBIND_OK);
  snprintf(path, sizeof path, "%s/task", folder);
  CHECK(mkdir(path, 0755) == 0 || errno == EEXIST);
  snprintf(path, sizeof path, "%s/task/no-number", folder);
  CHECK(mkdir(path, 0755) == 0 || errno == EEXIST);
  make_thread((int)syscall(SYS_gettid), "running\n", "R");
  write_count(2);
  listen();
  moved_path = "/proc/self/";
  has_clock = true;
  used[7] = 5000000;

  // Outside of the loader: in a call of its own, waiting outside of one, or gone.
  CHECK(sleeps_for("202 0x7fff00000001 0x0\n", "S") == 0);
  CHECK(sleeps_for("202 0xABC", "S") == 0 && sleeps_for("35", "S") == 0);
  CHECK(sleeps_for("-1 0x7fff00000001 0x0\n", "Z") == 0);
  CHECK(sleeps_for("-1 0x7fff00000001 0x0\n", "X") == 0);
  CHECK(sleeps_for("-1 0x7fff00000001 0x0\n", NULL) == 0);
  CHECK(sleeps_for(NULL, "S") == 0 && sleeps_for("", "S") == 0);
  used[7] = 0;
  CHECK(sleeps_for("running\n", "R") == 0);
  // Inside, as far as one can tell: for a second.
  used[7] = 5000000;
  const long second = 10000;
  CHECK(sleeps_for("running\n", "R") == second);
  CHECK(sleeps_for("-1 0x7fff00000001 0x0\n", "S") == second);
  CHECK(sleeps_for("-1 0x7fff00000001 0x0\n", "R") == second);
  CHECK(sleeps_for("", "R") == second && sleeps_for(NULL, "D") == second);
  CHECK(sleeps_for("", "") == second);
  // On the loader's lock: for a second longer.
  if (in_loader != 0) {
    snprintf(text, sizeof text, "202 0x%lx 0x0\n", (unsigned long)in_loader);
    CHECK(sleeps_for(text, "S") == 2 * second - 1 || sleeps_for(text, "S") == 2 * second);
  }
  // It runs on, and so has left.
  used_by_sleep[7] = 200000;
  CHECK(sleeps_for("running\n", "R") == 5);
  used_by_sleep[7] = 0;
  // A clock that stands still.
  has_clock_stopped = true;
  CHECK(sleeps_for("running\n", "R") == 20000);
  has_clock_stopped = false;

  // More threads than the list shows: it is read again, three times.
  write_count(9);
  reads = 0;
  CHECK(sleeps_for("202 0x1\n", "S") == 0 && reads >= 4);
  // A list without us, an error, or none: a pause.
  write_count(2);
  remove_thread((int)syscall(SYS_gettid));
  CHECK(sleeps_for("202 0x1\n", "S") == 1);
  say(0, SYS_getdents64, -EBADF, 1);
  CHECK(sleeps_for("202 0x1\n", "S") == 1);
  moved_path = "/proc/self/no";
  say(0, SYS_openat, -ENOENT, -1);
  CHECK(sleeps_for("202 0x1\n", "S") == 1);
}

// MARK: - Files of images

static const char *plugin_path;
static const void *plugin;
static uintptr_t plugin_address;
static void count_section(const crebind_section *section, void *context) {
  (void)section;
  ++*(int *)context;
}

static crebind_status read_sections(int *system_error) {
  int count = 0;
  crebind_error error;
  crebind_status status = crebind_sections(plugin, count_section, &count, &error);
  *system_error = status == CREBIND_OK ? 0 : error.system_error;
  CHECK((status == CREBIND_OK) == (count != 0));
  return status;
}

static void expect_sections(crebind_status expected) {
  int error;
  crebind_status status = read_sections(&error);
  if (status != expected) fprintf(stderr, "status %d, not %d: %d\n", status, expected, error);
  CHECK(status == expected);
}

/// The line of the plugin in the maps, as FORMAT has it with start, end and path.
static void write_maps(const char *before, const char *behind_end, const char *path, bool has_end) {
  static char text[3 * PATH_MAX];
  uintptr_t page = plugin_address & -4096UL;
  int size = snprintf(text, sizeof text, "%s%lx-%lx%s%s%s", before, (unsigned long)page,
                      (unsigned long)page + 4096, behind_end, path, has_end ? "\n" : "");
  CHECK(size > 0 && (size_t)size < sizeof text);
  write_text("maps", text, (size_t)size);
}

static void expect_no_file(const char *before, const char *behind_end, const char *path,
                           bool has_end) {
  write_maps(before, behind_end, path, has_end);
  expect_sections(CREBIND_NO_FILE);
}

#define COLUMNS " r--p 00000000 08:01 1234   "

/// The loader's path leads nowhere: the kernel's list of mappings says where the file is.
static void check_maps(void) {
  char other[PATH_MAX + 16];
  snprintf(other, sizeof other, "%s.moved", plugin_path);
  CHECK(rename(plugin_path, other) == 0);
  listen();
  moved_path = "/proc/self/";
  expect_no_file("", COLUMNS, "/no/such/file", true);
  expect_no_file("", COLUMNS, "relative", true);
  expect_no_file("", COLUMNS, "", true);
  expect_no_file("", " r--p", "", false);
  expect_no_file("", " ", "", false);
  static char long_path[PATH_MAX + 8];
  memset(long_path, '/', PATH_MAX);
  expect_no_file("", COLUMNS, long_path, true);
  // No lines of mappings, and others.
  write_text("maps", "", 0);
  expect_sections(CREBIND_NO_FILE);
  const char *others =
      "x\n12\n12 \n12~13\nffffffffffffff00-ffffffffffffffff" COLUMNS "/\n0-1" COLUMNS "/\nzz-";
  expect_no_file(others, COLUMNS, other, true);
  expect_no_file("12\n0-1" COLUMNS "/\nFF-", COLUMNS, other, true);
  // The one behind the mapping.
  char path[2 * PATH_MAX];
  snprintf(path, sizeof path, "%s/map_files", folder);
  CHECK(mkdir(path, 0755) == 0 || errno == EEXIST);
  uintptr_t page = plugin_address & -4096UL;
  snprintf(path, sizeof path, "%s/map_files/%lx-%lx", folder, (unsigned long)page,
           (unsigned long)page + 4096);
  unlink(path);
  CHECK(symlink(other, path) == 0);
  write_maps("0-1" COLUMNS "/\n", COLUMNS, "/no/such/file (deleted)", false);
  int error;
  crebind_status status = read_sections(&error);
  CHECK(rename(other, plugin_path) == 0 && unlink(path) == 0);
  CHECK(status == CREBIND_OK);
}

/// Reads that are interrupted, fail or end early, and kernels that cannot tell a file's kind.
static void check_reads(void) {
  listen();
  const struct {
    long number, result, times;
    crebind_status expected;
  } answered[] = {
      {SYS_read, -EIO, 1, CREBIND_NO_FILE},
      // The same file is tried by its path and by the mappings.
      {SYS_read, 0, -1, CREBIND_OTHER_FILE},
      {SYS_lseek, -EIO, -1, CREBIND_NO_FILE},
      // Memory cannot be read, or only in part.
      {SYS_process_vm_readv, -EFAULT, -1, CREBIND_OTHER_FILE},
      {SYS_process_vm_readv, 5, -1, CREBIND_OTHER_FILE},
  };
  for (size_t i = 0; i < sizeof answered / sizeof *answered; i++) {
    say(0, answered[i].number, answered[i].result, answered[i].times);
    expect_sections(answered[i].expected);
  }
  say(0, SYS_process_vm_readv, -EPERM, -1);
  say(1, SYS_read, -EINTR, 3);
  say(2, SYS_statx, -ENOSYS, -1);
  expect_sections(CREBIND_OK);
}

/// The kernel does not say that a file is none.
static void check_kind(void) {
  listen();
  // The kernel has filled in nothing.
  say(0, SYS_statx, 0, -1);
  expect_sections(CREBIND_OK);
}

// MARK: - Pages

static int (*original)(void);
static int hook(void) { return original() + 1; }
static const crebind_rebinding rebinding = {
    .name = "sweep_number", .replacement = (void *)hook, .original = (void **)&original};
/// The definition, in a page that it shares with code.
static const ElfW(Sym) * definition;

static void apply_and_restore(void) {
  crebind_handle *handle;
  ElfW(Addr) former = definition->st_value;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  CHECK(definition->st_value != former);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(definition->st_value == former);
}

/// The pagemap is cut short, or shows other pages. Then the page's file is read.
static void check_short_pagemap(void) {
  write_text("pagemap", "", 0);
  listen();
  moved_path = "/proc/self/pagemap";
  apply_and_restore();
}
static void check_unseekable_pagemap(void) {
  listen();
  say(0, SYS_lseek, -ESPIPE, 1);
  apply_and_restore();
}
/// An emulator may show a pagemap in which no page is there, even one that was written to.
static void check_empty_pagemap(void) {
  char path[2 * PATH_MAX];
  write_text("pagemap", "", 0);
  snprintf(path, sizeof path, "%s/pagemap", folder);
  // Far enough for each address.
  CHECK(truncate(path, INT64_C(1) << 40) == 0);
  listen();
  moved_path = "/proc/self/pagemap";
  apply_and_restore();
}

/// A kernel without MADV_POPULATE_WRITE, or an emulator that takes every advice.
static void check_old_advice(void) {
  listen();
  say(0, SYS_madvise, -EINVAL, 1);
  apply_and_restore();
}
static void check_any_advice(void) {
  listen();
  say(0, SYS_madvise, 0, -1);
  apply_and_restore();
}
static void check_no_memory_for_advice(void) {
  listen();
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  say(0, SYS_madvise, -ENOMEM, -1);
  CHECK(crebind_verify(handle, NULL, NULL) == CREBIND_OK);
  say(0, SYS_madvise, 0, 0);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
}

/// The program's name is not to be had.
static char text[4096];
static void keep_text(const char *sentence, void *context) {
  (void)context;
  strcpy(text, sentence);
}
static void check_name(void) {
  listen();
  say(0, SYS_readlinkat, -EACCES, -1);
  const crebind_rebinding own = {.name = "read_sections"};
  CHECK(crebind_explain(&own, NULL, keep_text, NULL, NULL) == CREBIND_OK);
  CHECK(strstr(text, "the program") != NULL);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  snprintf(folder, sizeof folder, "%s/proc", argv[1]);
  CHECK(mkdir(folder, 0755) == 0);
  plugin_path = argv[2];
  void *image = dlopen(plugin_path, RTLD_NOW);
  CHECK(image != NULL && dlopen(argv[3], RTLD_NOW | RTLD_GLOBAL) != NULL);
  plugin_address = (uintptr_t)((struct link_map *)image)->l_addr;
  plugin = crebind_image_containing((const void *)dlsym(image, "own_start"));
  CHECK(plugin == (const void *)plugin_address);
  Dl_info info;
  void *defined = dlsym(RTLD_DEFAULT, "sweep_number");
  CHECK(dladdr1(defined, &info, (void **)&definition, RTLD_DL_SYMENT) != 0);
  check(check_threads);
  check(check_maps);
  check(check_reads);
  check(check_kind);
  check(check_short_pagemap);
  check(check_unseekable_pagemap);
  check(check_empty_pagemap);
  check(check_old_advice);
  check(check_any_advice);
  check(check_no_memory_for_advice);
  check(check_name);
  puts("understood");
}
