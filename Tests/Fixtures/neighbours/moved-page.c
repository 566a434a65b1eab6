/// Dynamic symbols that share a page, or only a segment, with code, as with `-z noseparate-code`.
/// Definitions are redirected, no page is ever writable and executable, and code in the page runs
/// meanwhile. After the restore, /proc/self/smaps is as it was.
///
/// Usage: moved-page SMALL-LIBRARY LARGE-LIBRARY [single]
///   single: without other threads
///
/// With -DLIBRARY a library of one function, with -DLARGE also one of 512 more, so that
/// some pages are of nothing but symbols.

#ifdef LIBRARY
int shared_number(void) { return 7; }
int shared_count(volatile const int *is_done) {
  int count = 1;
  while (!*is_done) count += 2;
  return count;
}
#ifdef LARGE
#define ONE(n) \
  int large_##n(void) { return 0##n; }
#define EIGHT(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7)
#define MORE(n) \
  EIGHT(n##0) EIGHT(n##1) EIGHT(n##2) EIGHT(n##3) EIGHT(n##4) EIGHT(n##5) EIGHT(n##6) EIGHT(n##7)
MORE(0) MORE(1) MORE(2) MORE(3) MORE(4) MORE(5) MORE(6) MORE(7)
#endif

#else
#include "steps.h"
#include "others.h"

#include <sys/prctl.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

static int hooked;
static int (*original)(void);
static int hook(void) {
  hooked++;
  return original() + 1;
}
static int hook_large(void) { return -1; }

// MARK: - Mappings

/// The ranges, permissions and names of the mappings of files, and the flags of the two libraries'.
/// In libc the notice opens a segment of symbols alone, which the kernel accounts for from then on.
static char *read_smaps(void) {
  static char buffers[4][1 << 18];
  static int next;
  char *text = buffers[next++ % 4], line[4096];
  FILE *file = fopen("/proc/self/smaps", "r");
  CHECK(file != NULL);
  size_t length = 0;
  bool is_of_file = false, is_of_library = false;
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned long start, end;
    if (sscanf(line, "%lx-%lx ", &start, &end) == 2) {
      is_of_file = strchr(line, '/') != NULL;
      is_of_library = strstr(line, "/small.so") != NULL || strstr(line, "/large.so") != NULL;
    } else if (!is_of_library || strncmp(line, "VmFlags", 7) != 0) {
      continue;
    }
    if (!is_of_file) continue;
    size_t size = strlen(line);
    CHECK(size < sizeof buffers[0] - length);
    memcpy(text + length, line, size);
    length += size;
  }
  text[length] = 0;
  fclose(file);
  return text;
}

static bool is_read_only(const void *address) {
  FILE *file = fopen("/proc/self/maps", "r");
  CHECK(file != NULL);
  char line[4096], flags[8] = "";
  unsigned long start, end;
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "%lx-%lx %7s", &start, &end, flags) == 3 && start <= (unsigned long)address
        && (unsigned long)address < end)
      break;
  fclose(file);
  return strcmp(flags, "r--p") == 0;
}

static atomic_bool is_done;
static atomic_int looks;

static void *watch(void *unused) {
  char line[4096], flags[8];
  while (!atomic_load(&is_done)) {
    FILE *file = fopen("/proc/self/maps", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
      CHECK(sscanf(line, "%*s %7s", flags) == 1 && (flags[1] != 'w' || flags[2] != 'x'));
    fclose(file);
    atomic_fetch_add(&looks, 1);
  }
  return unused;
}

// MARK: - Libraries

/// The one that is loaded. Asked by handle, as what RTLD_DEFAULT finds is not unloaded.
static void *library;

static void load(const char *path) {
  library = OPEN(path, RTLD_NOW | RTLD_GLOBAL);
}

static crebind_handle *apply(const char *name, int (*replacement)(void)) {
  return REBIND(name, replacement, replacement == hook ? &original : NULL, NULL, NULL);
}

static int call(const char *name) {
  int (*function)(void) = (int (*)(void))find_as_others(library, name);
  CHECK(function != NULL);
  return function();
}

static void *run_code(void *function) {
  int (*count)(volatile const int *) = (int (*)(volatile const int *))function;
  static const int one = 1;
  while (!atomic_load(&is_done)) CHECK(count(&one) == 1);
  return NULL;
}

/// The page of the small library's code, headers and symbols.
static char *page_of(const void *address) {
  return (char *)((unsigned long)address & ~(unsigned long)(sysconf(_SC_PAGESIZE) - 1));
}

static void *symbol_of(const char *name) {
  Dl_info info;
  const void *symbol = NULL;
#ifdef __GLIBC__
  CHECK(dladdr1(dlsym(library, name), &info, (void **)&symbol, RTLD_DL_SYMENT) != 0);
#else
  (void)info, (void)name;
#endif
  return (void *)symbol;
}

// MARK: - Cases

static void chains(void) {
  char *before = read_smaps();
  crebind_handle *lower = apply("shared_number", hook), *upper = apply("shared_number", hook);
  crebind_handle *count = apply("shared_count", hook_large);
  hooked = 0;
  CHECK(call("shared_number") == 8 && hooked == 1);
  CHECK(call("shared_count") == -1);
  RESTORE(lower);
  CHECK(call("shared_number") == 8);
  RESTORE(count);
  RESTORE(upper);
  CHECK(call("shared_number") == 7);
  CHECK(strcmp(before, read_smaps()) == 0);
}

/// A page of nothing but symbols becomes readable only.
static void tables(void) {
  char *before = read_smaps();
  const void *symbol = symbol_of("large_400");
  crebind_handle *handle = apply("large_400", hook_large);
  CHECK(call("large_400") == -1);
#ifdef __GLIBC__
  // Larger pages have code, too.
  CHECK(is_read_only(symbol) || sysconf(_SC_PAGESIZE) > 4096);
#endif
  RESTORE(handle);
  CHECK(call("large_400") == 0400 && !is_read_only(symbol));
  CHECK(strcmp(before, read_smaps()) == 0);
}

static void forks(void) {
  char *before = read_smaps();
  crebind_handle *handle = apply("shared_number", hook);
  IN_CHILD {
    CHECK(call("shared_number") == 8);
    RESTORE(handle);
    CHECK(call("shared_number") == 7 && strcmp(before, read_smaps()) == 0);
    handle = apply("shared_number", hook);
    CHECK(call("shared_number") == 8);
  }
  CHECK(call("shared_number") == 8);
  RESTORE(handle);
  CHECK(call("shared_number") == 7 && strcmp(before, read_smaps()) == 0);
}

/// A mapping that is locked into memory stays so.
static void locked(void) {
  char *code = page_of(FIND(library, "shared_number"));
  if (mlock(code, (size_t)sysconf(_SC_PAGESIZE)) != 0) return;
  char *before = read_smaps();
  if (strstr(before, " lo") == NULL) return;  // sanitizers and emulators lock nothing
  crebind_handle *handle = apply("shared_number", hook);
  CHECK(call("shared_number") == 8 && strstr(read_smaps(), " lo") != NULL);
  RESTORE(handle);
  before = read_smaps();
  handle = apply("shared_number", hook);
  RESTORE(handle);
  CHECK(strcmp(before, read_smaps()) == 0);
  munlock(code, (size_t)sysconf(_SC_PAGESIZE));
}

/// A page that has been written to stays where it is: the notice serves later images instead.
static void written(void) {
  char *code = page_of(FIND(library, "shared_number"));
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  CHECK(mprotect(code, size, PROT_READ | PROT_WRITE) == 0);
  code[EI_PAD] = 5;
  CHECK(mprotect(code, size, PROT_READ | PROT_EXEC) == 0);
  crebind_handle *handle = apply("shared_number", hook);
  CHECK(call("shared_number") == 7);
  RESTORE(handle);
}

/// Where memory may not become executable, pages of nothing but symbols still move.
static void forbidden(void) {
  if (prctl(PR_SET_MDWE, 1L, 0L, 0L, 0L) == 0) tables();
}

/// Somebody writes into the copy: that stays.
static void written_copy(void) {
  char *code = page_of(FIND(library, "shared_number"));
  crebind_handle *handle = apply("shared_number", hook);
  CHECK(call("shared_number") == 8);
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  CHECK(code[EI_PAD] == 0);
  CHECK(mprotect(code, size, PROT_READ | PROT_WRITE) == 0);
  code[EI_PAD] = 5;
  CHECK(mprotect(code, size, PROT_READ | PROT_EXEC) == 0);
  RESTORE(handle);
  CHECK(call("shared_number") == 7 && code[EI_PAD] == 5);
}

#ifdef __GLIBC__
static size_t count_mappings(const char *path) {
  FILE *file = fopen("/proc/self/maps", "r");
  CHECK(file != NULL);
  char line[4096];
  size_t count = 0;
  while (fgets(line, sizeof line, file) != NULL) count += strstr(line, path) != NULL;
  fclose(file);
  return count;
}

/// The page that was kept goes with its image, also where the same image is back at
/// once, or another one is at its place.
static void unloads(const char *path, const char *other) {
  crebind_handle *handle;
  for (int i = 0; i < 4; i++) {
    load(path);
    handle = apply("shared_number", hook);
    CHECK(call("shared_number") == 8);
    CHECK(dlclose(library) == 0);
    if (i % 2 == 1) CHECK(crebind_refresh(NULL) == CREBIND_OK);
    load(i < 2 ? path : other);
    CHECK(crebind_refresh(NULL) == CREBIND_OK);
    CHECK(call("shared_number") == 8);
    RESTORE(handle);
    CHECK(call("shared_number") == 7);
    CHECK(dlclose(library) == 0 && crebind_refresh(NULL) == CREBIND_OK);
    CHECK(count_mappings(path) == 0 && count_mappings(other) == 0);
  }
}
#endif

static void in_child(void (*body)(void)) {
  IN_CHILD body();
}

/// In a process of its own: musl unloads nothing, and of two libraries that define one name
/// neither is redirected.
static const char *large_library;
static void in_large_library(void) {
  load(large_library);
  tables();
  in_child(forbidden);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  // Rounds beside threads; 0: a few rounds, and no threads.
  int rounds = atoi(argv[1]);
  bool is_single = rounds == 0;
#ifdef __GLIBC__
  unloads(argv[2], argv[3]);
#endif
  large_library = argv[3];
  in_child(in_large_library);
  load(argv[2]);
  pthread_t threads[3];
  void *count = FIND(library, "shared_count");
  if (!is_single) {
    threads[0] = START(watch, NULL);
    for (int i = 1; i < 3; i++) threads[i] = START(run_code, count);
  }
  for (int i = 0; i < (is_single ? 20 : rounds) || (!is_single && atomic_load(&looks) < 50); i++)
    chains();
  forks();
  locked();
  atomic_store(&is_done, true);
  for (int i = 0; i < 3 && !is_single; i++) JOIN(threads[i]);
  in_child(written_copy);
  in_child(written);
  printf("moved and moved back\n");
}
#endif
