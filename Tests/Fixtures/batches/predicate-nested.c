/// Predicates that serve images, restore and fork while they are being asked. A chain stays in
/// order. A restored batch's predicate is not asked again, nor freed under another thread that is
/// in it. A child does not wait for that thread.
///
/// Usage: predicate-nested LIBRARY-WITH-DEPENDENCY PLUGIN

#include "steps.h"

static int lower_calls, upper_calls;
static pid_t (*lower_original)(void), (*upper_original)(void);
static pid_t lower(void) {
  lower_calls++;
  return lower_original();
}
static pid_t upper(void) {
  upper_calls++;
  return upper_original();
}
static const crebind_rebinding rebindings[] = {
    {.name = "getppid", .replacement = (void *)lower, .original = (void **)&lower_original},
    {.name = "getppid", .replacement = (void *)upper, .original = (void **)&upper_original},
};

static crebind_handle *apply(int which, bool (*matches)(const crebind_image_info *, void *)) {
  crebind_options options = {
      .scope = matches != NULL ? CREBIND_SCOPE_MATCHING : CREBIND_SCOPE_ALL, .matches = matches};
  return APPLY(&rebindings[which], 1, &options, NULL);
}

static void *load(void *path) { return OPEN(path, RTLD_LAZY); }

static void check_calls(void *image, int lower_expected, int upper_expected) {
  lower_calls = upper_calls = 0;
  CHECK(CALL(image, "plugin_call") > 0);
  CHECK(lower_calls == lower_expected && upper_calls == upper_expected);
}

static bool is_armed;

// MARK: - In order

static bool looks_up(const crebind_image_info *image, void *context) {
  (void)context;
  // Serves the image to the batch on top.
  if (is_armed) CHECK(crebind_lookup("getpid") != NULL);
  return strstr(image->path, ".so") != NULL;
}

static void check_order(char *path) {
  crebind_handle *below = apply(0, looks_up), *above = apply(1, NULL);
  is_armed = true;
  void *image = load(path);
  is_armed = false;
  check_calls(image, 1, 1);
  crebind_report report;
  CHECK(crebind_restore(above, &report, NULL) == CREBIND_OK && report.skipped == 0);
  check_calls(image, 1, 0);
  CHECK(crebind_restore(below, &report, NULL) == CREBIND_OK && report.skipped == 0);
  check_calls(image, 0, 0);
  CHECK(dlclose(image) == 0);
}

// MARK: - Restored by itself

static crebind_handle *own;

static bool restores(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  if (!is_armed) return false;
  CHECK(own != NULL);
  RESTORE(own);
  own = NULL;
  return true;
}

static void check_restored(char *path) {
  own = apply(0, restores);
  is_armed = true;
  void *image = load(path);
  is_armed = false;
  CHECK(own == NULL);
  check_calls(image, 0, 0);
  CHECK(dlclose(image) == 0);
}

// MARK: - Beside another thread

static crebind_handle *slow;
static sem_t is_inside, may_leave;

static bool waits(const crebind_image_info *image, void *context) {
  if (!is_armed || !is_plugin(image, context)) return false;
  CHECK(sem_post(&is_inside) == 0 && sem_wait(&may_leave) == 0);
  CHECK(sem_post(&may_leave) == 0);
  return true;
}

static bool restores_slow_and_forks(const crebind_image_info *image, void *context) {
  if (!is_plugin(image, context)) return false;
  CHECK(crebind_restore(slow, NULL, NULL) == CREBIND_PREDICATE_RUNS);
  pid_t child = fork();
  if (child == 0) {
    // It is asked anew about what nobody is asking about any more.
    CHECK(sem_post(&may_leave) == 0);
    return true;
  }
  WAIT_FOR(child);
  CHECK(sem_post(&may_leave) == 0);
  return true;
}

static void check_threads(char *path) {
  pid_t process = getpid();
  CHECK(sem_init(&is_inside, 0, 0) == 0 && sem_init(&may_leave, 0, 0) == 0);
  slow = apply(0, waits);
  is_armed = true;
  pthread_t thread = START(load, path);
  CHECK(sem_wait(&is_inside) == 0);
  crebind_handle *handle;
  crebind_options options = {
      .scope = CREBIND_SCOPE_MATCHING, .matches = restores_slow_and_forks};
  crebind_status status = crebind_apply(&rebindings[1], 1, &options, &handle, NULL, NULL);
  if (getpid() != process) {
    CHECK(status == CREBIND_OK && crebind_restore(slow, NULL, NULL) == CREBIND_OK);
    _exit(0);
  }
  CHECK(status == CREBIND_OK);
  void *image = JOIN(thread);
  check_calls(image, 1, 1);
  RESTORE(slow);
  RESTORE(handle);
  check_calls(image, 0, 0);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  check_order(argv[1]);
  check_restored(argv[1]);
  check_threads(argv[2]);
  printf("asked in order\n");
}
