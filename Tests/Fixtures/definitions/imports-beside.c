/// Imports are rebound beside whatever else goes on: loads on other threads, forks, definitions whose image
/// goes and comes, or comes to the place of another one.
///
/// Usage: imports-beside FIRST SECOND PROVIDER USER

#if defined(PLUGIN)

/// Each has a function of that name for itself, and calls it through a slot.
int own(void) { return NUMBER; }
int call_own(void) { return own(); }

#elif defined(PROVIDER)

int provided(void) { return 5; }

#elif defined(USER)

int provided(void);
int call_provided(void) { return provided(); }

#elif defined(SHARED)

/// Without a version, beside one that has one.
int plain(void) { return 1; }
int newer_in_v1(void) { return 2; }
__asm__(".symver newer_in_v1, newer@@V1");

#else

#include "steps.h"

int plain(void);
int newer(void);

/// An address that no aligned store reaches, and then one that is a call's.
struct __attribute__((packed)) {
  char byte;
  int (*pointer)(void);
} unaligned = {0, plain};

enum { STUBS = 8 };
static int (*originals[STUBS])(void);
#define STUB(n) \
  static int stub_##n(void) { return 100 + originals[n](); }
STUB(0) STUB(1) STUB(2) STUB(3) STUB(4) STUB(5) STUB(6) STUB(7)
static int (*const stubs[])(void) = {stub_0, stub_1, stub_2, stub_3, stub_4, stub_5, stub_6, stub_7};

/// A replacement that needs no original, for more definitions than we have stubs.
static int constant(void) { return 100; }
static bool is_constant;

static const char *wanted;
static _Atomic int chosen, questions;
static void *closes;
static sem_t asks, may_answer;
static bool blocks;

static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  (void)context;
  if (strcmp(import->name, wanted) != 0) return;
  questions++;
  if (closes != NULL && dlclose(closes) == 0) closes = NULL;
  if (blocks) {
    sem_post(&asks);
    while (sem_wait(&may_answer) != 0) continue;
  }
  if (is_constant) {
    choice->replacement = (void *)constant;
    return;
  }
  int index = chosen++ % STUBS;
  choice->replacement = (void *)stubs[index];
  choice->original = (void **)&originals[index];
}

static crebind_imports *apply(const char *name) {
  wanted = name;
  chosen = questions = 0;
  crebind_imports *imports;
  CHECK(crebind_apply_imports(choose, NULL, NULL, &imports, NULL, NULL) == CREBIND_OK);
  return imports;
}
static void restore(crebind_imports *imports) {
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
}

/// A definition without a version, in a library that has versions, and a slot behind an address that
/// cannot be changed.
static void hook_unversioned(void) {
  crebind_imports *imports = apply("plain");
  CHECK(questions == 1 && plain() == 101 && unaligned.pointer() >= 1);
  restore(imports);
  imports = apply("newer");
  CHECK(questions == 1 && newer() == 102 && plain() == 1);
  restore(imports);
}

// musl unloads nothing.
#ifdef __GLIBC__

/// A plug-in that comes and goes is asked about each time, and costs no more each time.
static void reload(const char *path) {
  crebind_imports *imports = apply("own");
  for (int i = 0; i < 50; i++) {
    void *plugin = OPEN(path, RTLD_NOW);
    CHECK(questions == i + 1 && CALL(plugin, "call_own") == 101);
    CHECK(dlclose(plugin) == 0);
  }
  crebind_report report;
  CHECK(crebind_verify_imports(imports, &report, NULL) == CREBIND_OK && report.unchanged == 0);
  restore(imports);
}

/// The image that was asked about goes in the question, and another one may come to its place.
static void close_in_question(const char *first, const char *second) {
  closes = OPEN(first, RTLD_NOW);
  crebind_imports *imports = apply("own");
  CHECK(closes == NULL && questions == 1);
  wanted = "nothing";
  void *plugin = OPEN(second, RTLD_NOW);
  CHECK(CALL(plugin, "call_own") == 2);
  restore(imports);
  CHECK(dlclose(plugin) == 0);
}

/// A name that nothing defines is asked about when an image comes that does.
static void provide_later(const char *provider, const char *user) {
  void *users = OPEN(user, RTLD_LAZY);
  crebind_imports *imports = apply("provided");
  CHECK(questions == 0);
  void *providers = OPEN(provider, RTLD_NOW | RTLD_GLOBAL);
  CHECK(questions == 1 && CALL(users, "call_provided") == 105);
  restore(imports);
  CHECK(CALL(users, "call_provided") == 5);
  CHECK(dlclose(users) == 0 && dlclose(providers) == 0);
}

/// A rebinding of one image's definition ends with that image, though its file comes back to the same place.
static void lose_definer(const char *path) {
  void *plugin = OPEN(path, RTLD_NOW);
  const void *header = header_of(FIND(plugin, "own"));
  crebind_handle *handle =
      APPLY(&((crebind_rebinding){
                .name = "own", .definer = header, .replacement = (void *)constant}),
            1, NULL, NULL);
  CHECK(CALL(plugin, "call_own") == 100 && dlclose(plugin) == 0);
  plugin = OPEN(path, RTLD_NOW);
  CHECK(CALL(plugin, "call_own") == 1);
  RESTORE(handle);
  CHECK(CALL(plugin, "call_own") == 1 && dlclose(plugin) == 0);
}

static void *load(void *path) {
  for (int i = 0; i < 100; i++) {
    void *plugin = OPEN(path, RTLD_NOW);
    // Whoever is at work on other images serves this one soon after.
    long until = milliseconds_of(CLOCK_MONOTONIC) + 10000;
    while (CALL(plugin, "call_own") < 100) {
      CHECK(milliseconds_of(CLOCK_MONOTONIC) < until);
      sleep_for(1);
    }
    CHECK(dlclose(plugin) == 0);
  }
  return NULL;
}

/// Images come while others verify and list.
static void load_beside(char **paths) {
  is_constant = true;
  crebind_imports *imports = apply("own");
  pthread_t first = START(load, paths[0]), second = START(load, paths[1]);
  for (int i = 0; i < 100; i++) {
    crebind_status status = crebind_verify_imports(imports, NULL, NULL);
    CHECK(status == CREBIND_OK || status == CREBIND_PREDICATE_RUNS || status == CREBIND_BUSY);
    sleep_for(1);
  }
  JOIN(first);
  JOIN(second);
  restore(imports);
  is_constant = false;
}

static void *open_blocking(void *path) { return OPEN(path, RTLD_NOW); }

/// A child is forked while another thread is asked.
static void fork_beside(const char *first, char *second) {
  crebind_imports *imports = apply("own");
  blocks = true;
  pthread_t opener = START(open_blocking, second);
  while (sem_wait(&asks) != 0) continue;
  // Nobody waits for ever.
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_PREDICATE_RUNS);
  CHECK(crebind_verify_imports(imports, NULL, NULL) == CREBIND_PREDICATE_RUNS);
  IN_CHILD {
    blocks = false;
    CHECK(crebind_verify_imports(imports, NULL, NULL) == CREBIND_OK);
    void *plugin = OPEN(first, RTLD_NOW);
    CHECK(CALL(plugin, "call_own") == 101);
    restore(imports);
    CHECK(CALL(plugin, "call_own") == 1);
  }
  blocks = false;
  sem_post(&may_answer);
  void *plugin = JOIN(opener);
  CHECK(CALL(plugin, "call_own") == 102);
  restore(imports);
  CHECK(CALL(plugin, "call_own") == 2 && dlclose(plugin) == 0);
}

#endif

int main(int count, char **paths) {
  CHECK(count == 5);
  sem_init(&asks, 0, 0);
  sem_init(&may_answer, 0, 0);
  hook_unversioned();
#ifndef __GLIBC__
  (void)paths, (void)blocks, (void)is_constant;
#else
  reload(paths[1]);
  close_in_question(paths[1], paths[2]);
  provide_later(paths[3], paths[4]);
  lose_definer(paths[1]);
  load_beside(paths + 1);
  fork_beside(paths[1], paths[2]);
#endif
  printf("beside others\n");
}

#endif
