/// Plug-ins that share a name: each has a function of its own, in its own local scope. A rebinding leads
/// the calls of one to the replacement. It leaves those of the others alone, which another rebinding in
/// that image reaches.

#include "steps.h"

#ifdef NUMBER

int dep_fn(void) { return NUMBER; }
int call_dep_fn(void) { return dep_fn(); }
int bar(void);
int call_bar(void) { return bar(); }

#else

static int (*original)(void), (*original_alone)(void);
static int hook(void) { return 100 + original(); }
static int hook_alone(void) { return 1000 + original_alone(); }

static const char *const *paths;
static void *plugins[3];
static int called(int plugin) { return CALL(plugins[plugin], "call_dep_fn"); }

static size_t told;
static void tell(const crebind_diagnosis *diagnosis, void *unused) {
  (void)unused;
  if (diagnosis->reason != CREBIND_REASON_OTHER_SCOPE) return;
  CHECK(diagnosis->slots == 1 && diagnosis->image.header != NULL
        && diagnosis->image.header != header_of(FIND(plugins[0], "dep_fn")));
  told++;
}
/// Before a rebinding, while it is active, and of the same or another replacement.
static void expect_told(void *replacement, const crebind_options *options, size_t expected) {
  const crebind_rebinding rebinding = {.name = "dep_fn", .replacement = replacement};
  told = 0;
  CHECK(crebind_diagnose(&rebinding, options, tell, NULL, NULL) == CREBIND_OK && told == expected);
}

static void check(const crebind_options *options) {
  crebind_report report;
  // musl unloads nothing.
  void *third_plugin = dlopen(paths[2], RTLD_LAZY | RTLD_NOLOAD);
  size_t others = third_plugin == NULL ? 1 : 2;
  expect_told((void *)hook, options, others);
  crebind_handle *handle = REBIND("dep_fn", hook, &original, options, &report);
  expect_told((void *)hook, options, others);
  expect_told(NULL, options, others);
  CHECK(report.changed == 1 && report.left_alone == others && report.ambiguous == 0);
  CHECK(called(0) == 101 && called(1) == 2 && original() == 1);
  // A plug-in that comes later is left alone, too, and one that is bound to ours is not.
  plugins[2] = OPEN(paths[2], RTLD_NOW);
  CHECK(crebind_refresh(NULL) == CREBIND_OK && called(2) == 3 && called(0) == 101);

  const void *headers[] = {header_of(FIND(plugins[1], "dep_fn"))};
  crebind_options alone = {.scope = CREBIND_SCOPE_IMAGES, .images = headers, .image_count = 1};
  if (options != NULL) alone.slots_only = options->slots_only;
  crebind_handle *second = REBIND("dep_fn", hook_alone, &original_alone, &alone, &report);
  CHECK(report.changed == 1 && report.left_alone == 0);
  CHECK(called(0) == 101 && called(1) == 1002 && called(2) == 3);
  // On top of that one, it is the plug-in's own function all the same.
  int (*original_above)(void);
  crebind_handle *third = REBIND("dep_fn", hook, &original_above, options, &report);
  CHECK(report.left_alone == 2 && called(1) == 1002);
  RESTORE(third);
  RESTORE(second);
  CHECK(called(0) == 101 && called(1) == 2);
  RESTORE(handle);
  CHECK(called(0) == 1 && called(1) == 2 && called(2) == 3);
  CHECK(dlclose(plugins[2]) == 0);
}

/// On top of batches that have each plug-in alone, beside a function that the program defines.
int bar(void);
int bar(void) { return 7; }
static int hook_bar(void) { return 8; }
static int (*original_two)(void);
static int hook_two(void) { return 2000 + original_two(); }
static void check_above(void) {
  crebind_handle *alone[2];
  for (int i = 0; i < 2; i++) {
    const void *headers[] = {header_of(FIND(plugins[i], "dep_fn"))};
    crebind_options options = {.scope = CREBIND_SCOPE_IMAGES, .images = headers, .image_count = 1};
    alone[i] = REBIND("dep_fn", i == 0 ? hook_alone : hook_two,
                      i == 0 ? &original_alone : &original_two, &options, NULL);
  }
  const crebind_rebinding both[] = {
      {.name = "bar", .replacement = (void *)hook_bar},
      {.name = "dep_fn", .replacement = (void *)hook, .original = (void **)&original}};
  crebind_report report;
  crebind_handle *handle = APPLY(both, 2, NULL, &report);
  CHECK(report.left_alone >= 1 && called(0) == 1101 && called(1) == 2002);
  RESTORE(handle);
  for (int i = 0; i < 2; i++) RESTORE(alone[i]);
  CHECK(called(0) == 1 && called(1) == 2);
}

/// Several come in one look; then the first goes, and the next one is reached.
static void check_late(void *(*open_unseen)(const char *, int)) {
  for (int i = 0; i < 2; i++) CHECK(dlclose(plugins[i]) == 0);
  if (dlopen(paths[0], RTLD_LAZY | RTLD_NOLOAD) != NULL) return;  // musl unloads nothing
  crebind_handle *handle = REBIND("dep_fn", hook, &original, NULL, NULL);
  for (int i = 0; i < 3; i++) CHECK((plugins[i] = open_unseen(paths[i], RTLD_NOW)) != NULL);
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  CHECK(called(0) == 101 && called(1) == 2 && called(2) == 3);
  CHECK(dlclose(plugins[0]) == 0 && crebind_refresh(NULL) == CREBIND_OK);
  CHECK(called(1) == 102 && called(2) == 3);
  plugins[0] = OPEN(paths[0], RTLD_NOW);
  CHECK(crebind_refresh(NULL) == CREBIND_OK && called(0) == 1 && called(1) == 102);
  RESTORE(handle);
  CHECK(called(0) == 1 && called(1) == 2 && called(2) == 3);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  void *(*open_unseen)(const char *, int) =
      (void *(*)(const char *, int))dlsym(RTLD_DEFAULT, "dlopen");
  paths = (const char *const *)argv + 1;
  for (int i = 0; i < 2; i++) plugins[i] = OPEN(paths[i], RTLD_LAZY);
  CHECK(called(0) == 1 && called(1) == 2);
  check(NULL);
  const crebind_options slots_only = {.slots_only = true};
  check(&slots_only);
  check_above();
  check_late(open_unseen);
  printf("left alone\n");
}

#endif
