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
/// A question forks once, and then opens this.
static const char *opens;
static bool forks;
static pid_t child_of_question;

/// Where a thread is held.
static sem_t asks, may_answer;
static _Atomic enum { NOWHERE, IN_QUESTION, IN_MATCH } blocks;
static void block(void) {
  sem_post(&asks);
  while (sem_wait(&may_answer) != 0) continue;
}
static void wait_for_question(void) {
  while (sem_wait(&asks) != 0) continue;
}

static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  (void)context;
  if (strcmp(import->name, wanted) != 0) return;
  questions++;
  if (closes != NULL && dlclose(closes) == 0) closes = NULL;
  if (blocks == IN_QUESTION) block();
  if (forks) {
    forks = false;
    child_of_question = fork();
    if (child_of_question != 0) WAIT_FOR(child_of_question);
    OPEN(opens, RTLD_NOW);
  }
  if (is_constant) {
    choice->replacement = (void *)constant;
    return;
  }
  int index = chosen++ % STUBS;
  choice->replacement = (void *)stubs[index];
  choice->original = (void **)&originals[index];
}

static crebind_imports *apply_in(const char *name, const crebind_options *options) {
  wanted = name;
  questions = 0;
  crebind_imports *imports;
  CHECK(crebind_apply_imports(choose, NULL, options, &imports, NULL, NULL) == CREBIND_OK);
  return imports;
}
static crebind_imports *apply(const char *name) { return apply_in(name, NULL); }
static void restore(crebind_imports *imports) {
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
}

/// A definition without a version, in a library that has versions, and a slot behind an address that
/// cannot be changed.
static void hook_unversioned(void) {
  crebind_imports *older = apply("plain");
  CHECK(questions == 1 && plain() == 101 && unaligned.pointer() >= 1);
  crebind_imports *later = apply("newer");
  CHECK(questions == 1 && newer() == 102 && plain() == 101);
  restore(older);
  CHECK(newer() == 102 && plain() == 1);
  restore(later);
  CHECK(newer() == 2);
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

static bool is_user(const crebind_image_info *image, void *context) {
  (void)context;
  return strcmp(file_name(image->path), "user.so") == 0;
}

/// A name that nothing defines is asked about when an image comes that does, wherever that is. Of
/// images that are not in scope nothing else is asked.
static void provide_later(char **paths) {
  const crebind_options options = {.scope = CREBIND_SCOPE_MATCHING, .matches = is_user};
  for (int is_scoped = 0; is_scoped < 2; is_scoped++) {
    void *users = OPEN(paths[3], RTLD_LAZY);
    crebind_imports *imports = apply_in("own", is_scoped ? &options : NULL);
    void *first = OPEN(paths[0], RTLD_NOW);
    CHECK(questions == !is_scoped && CALL(first, "call_own") == (is_scoped ? 1 : 101));
    wanted = "provided";
    void *provider = OPEN(paths[2], RTLD_NOW | RTLD_GLOBAL);
    CHECK(questions == 1 + !is_scoped && CALL(users, "call_provided") == 105);
    wanted = "own";
    void *second = OPEN(paths[1], RTLD_NOW);
    CHECK(CALL(second, "call_own") == (is_scoped ? 2 : 102));
    CHECK(dlclose(users) == 0);
    users = OPEN(paths[3], RTLD_LAZY);
    CHECK(questions == 1 + 2 * !is_scoped && CALL(users, "call_provided") == 105);
    restore(imports);
    CHECK(CALL(users, "call_provided") == 5 && CALL(first, "call_own") == 1);
    CHECK(dlclose(users) == 0 && dlclose(provider) == 0 && dlclose(first) == 0
          && dlclose(second) == 0);
  }
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

static bool is_no_provider(const crebind_image_info *image, void *context) {
  (void)context;
  // The function that was chosen in the second image is being rebound.
  if (blocks == IN_MATCH && questions == 2) block();
  return strcmp(file_name(image->path), "provider.so") != 0;
}

static _Atomic pid_t ender;
static void *restore_in_vain(void *imports) {
  ender = gettid();
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_PREDICATE_RUNS);
  return NULL;
}

static void visit(const crebind_slot_info *slot, void *context) { (void)slot, (void)context; }

/// A child is forked while another thread is asked, or rebinds, and a third one waits for the end. The
/// child has the image served by verify, or when another image comes, of whichever scope.
static void fork_beside(char **paths) {
  const crebind_options options = {.scope = CREBIND_SCOPE_MATCHING, .matches = is_no_provider};
  for (int where = IN_QUESTION; where <= IN_MATCH; where++) {
    // Nothing is rebound before, or this one is.
    void *first = where == IN_MATCH ? OPEN(paths[0], RTLD_NOW) : NULL;
    crebind_imports *imports = apply_in("own", &options);
    blocks = where;
    ender = 0;
    pthread_t opener = START(open_blocking, paths[1]);
    wait_for_question();
    pthread_t waiter = START(restore_in_vain, imports);
    while (ender == 0) continue;
    wait_until_asleep(ender);
    IN_CHILD {
      blocks = NOWHERE;
      if (where == IN_MATCH)
        CHECK(crebind_verify_imports(imports, NULL, NULL) == CREBIND_OK);
      else
        OPEN(paths[2], RTLD_NOW);
      void *plugin = OPEN(paths[1], RTLD_NOW | RTLD_NOLOAD);
      CHECK(CALL(plugin, "call_own") == 102 && (first == NULL || CALL(first, "call_own") == 101));
      restore(imports);
      CHECK(CALL(plugin, "call_own") == 2 && (first == NULL || CALL(first, "call_own") == 1));
    }
    // Nobody waits for ever.
    CHECK((where == IN_MATCH ? crebind_imports_slots(imports, visit, NULL, NULL)
                             : crebind_verify_imports(imports, NULL, NULL))
          == CREBIND_PREDICATE_RUNS);
    JOIN(waiter);
    blocks = NOWHERE;
    sem_post(&may_answer);
    void *plugin = JOIN(opener);
    CHECK(CALL(plugin, "call_own") == 102);
    restore(imports);
    CHECK(CALL(plugin, "call_own") == 2 && dlclose(plugin) == 0);
    CHECK(first == NULL || dlclose(first) == 0);
  }
}

/// A question forks. Parent and child both go on with it, and with an image that comes meanwhile.
static void fork_in_question(const char *first, const char *second) {
  crebind_imports *imports = apply("own");
  opens = second;
  forks = true;
  void *plugins[] = {OPEN(first, RTLD_NOW), OPEN(second, RTLD_NOW | RTLD_NOLOAD)};
  CHECK(CALL(plugins[0], "call_own") == 101 && CALL(plugins[1], "call_own") == 102);
  CHECK(questions == 2);
  restore(imports);
  CHECK(CALL(plugins[0], "call_own") == 1 && CALL(plugins[1], "call_own") == 2);
  if (child_of_question == 0) _exit(0);
  CHECK(dlclose(plugins[0]) == 0 && dlclose(plugins[1]) == 0 && dlclose(plugins[1]) == 0);
}

static _Atomic int opened;
static void open_in_list(const crebind_slot_info *slot, void *context) {
  (void)slot;
  if (opens == NULL) return;
  OPEN(opens, RTLD_NOW);
  opens = NULL;
  opened++;
  if (*(bool *)context) wait_until_asleep(getpid());
}
static bool waits_for_end;
static void *list(void *imports) {
  CHECK(crebind_imports_slots(imports, open_in_list, &waits_for_end, NULL) == CREBIND_OK);
  return NULL;
}
static void *open_at_end(void *path) {
  wait_until_asleep(getpid());
  return OPEN(path, RTLD_NOW);
}

/// Images come while one thread works and the main thread waits for the end, in vain and not.
static void end_beside(const char *first, char *second) {
  crebind_imports *imports = apply("plain");
  wanted = "own";
  opens = first;
  blocks = IN_QUESTION;
  pthread_t lister = START(list, imports);
  wait_for_question();
  pthread_t opener = START(open_at_end, second);
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_PREDICATE_RUNS);
  blocks = NOWHERE;
  sem_post(&may_answer);
  JOIN(lister);
  void *plugin = JOIN(opener);
  CHECK(crebind_verify_imports(imports, NULL, NULL) == CREBIND_OK);
  CHECK(CALL(plugin, "call_own") == 102 && questions == 3 && dlclose(plugin) == 0);

  // Nobody is asked once the thread that works sees that all of it ends.
  opens = second;
  waits_for_end = true;
  lister = START(list, imports);
  while (opened != 2) continue;
  restore(imports);
  JOIN(lister);
  CHECK(questions == 3 && plain() == 1);
}

#endif

int main(int count, char **paths) {
  CHECK(count == 5);
  sem_init(&asks, 0, 0);
  sem_init(&may_answer, 0, 0);
  hook_unversioned();
#ifndef __GLIBC__
  (void)paths, (void)is_constant, (void)wait_for_question;
#else
  reload(paths[1]);
  close_in_question(paths[1], paths[2]);
  provide_later(paths + 1);
  lose_definer(paths[1]);
  load_beside(paths + 1);
  fork_beside(paths + 1);
  fork_in_question(paths[1], paths[2]);
  end_beside(paths[1], paths[2]);
#endif
  printf("beside others\n");
}

#endif
