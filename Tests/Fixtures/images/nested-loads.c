/// Images whose constructors load further images, on two threads, while observers load images as
/// well: nobody waits for a thread that waits for the loader. Images that a constructor loads are
/// reported when the outer dlopen is done, with the loader's lock free, in the order in which they
/// came, and once.
///
/// Usage: nested-loads NESTING INNER OTHER

#include "steps.h"
#include "nested-loads.h"

static const char *nesting, *inner, *other;
static struct nested_loads nested;

static void *load(void *path) { return OPEN(path, RTLD_LAZY); }

// MARK: - Order

static char log[8192];
static bool is_logging;

static void append(const char *sign, const char *path) {
  size_t length = strlen(log);
  snprintf(log + length, sizeof log - length, "%s%s ", sign, file_name(path));
}

/// The loader's lock is free if another thread can load.
static void added(const crebind_image_info *image, void *sign) {
  if (!is_logging) return;
  append(sign, image->path);
  if (strcmp(image->path, other) == 0) return;
  JOIN(START(load, (void *)other));
}

static void removed(const crebind_image_info *image, void *sign) {
  (void)sign;
  if (is_logging) append("-", image->path);
}

static void check_order(void) {
  const crebind_image_observer observers[] = {{added, removed, "+"}, {added, NULL, "second:+"}};
  crebind_observation *observations[2];
  for (int i = 0; i < 2; i++)
    CHECK(crebind_observe(&observers[i], &observations[i], NULL) == CREBIND_OK);
  is_logging = true;
  nested.inner = inner;
  void *image = load((void *)nesting);
  // Each observer heard of the three, in one order.
  const char *names[] = {"+nesting.so ", "+inner.so ", "+other.so "};
  for (int i = 0; i < 3; i++) {
    char seconds[64];
    snprintf(seconds, sizeof seconds, "second:%s", names[i]);
    const char *first = strstr(log, names[i]), *second = strstr(log, seconds);
    CHECK(first != NULL && second != NULL);
    if (first == second + strlen("second:")) first = strstr(second + strlen(seconds), names[i]);
    CHECK(first != NULL);
  }
  is_logging = false;
  CHECK(dlclose(image) == 0);
  for (int i = 0; i < 2; i++) crebind_unobserve(observations[i]);
}

// MARK: - Deadlock

static atomic_int loads_in_callback;
static pthread_t main_thread;

/// Loads while the other thread is in a constructor.
static void load_in_callback(const crebind_image_info *image, void *unused) {
  (void)unused;
  if (strcmp(image->path, other) != 0 || !pthread_equal(pthread_self(), main_thread)) return;
  atomic_store(&nested.may_load, 1);
  void *loaded = load((void *)inner);
  atomic_fetch_add(&loads_in_callback, 1);
  CHECK(dlclose(loaded) == 0);
}

static void *load_nesting(void *unused) {
  (void)unused;
  return load((void *)nesting);
}

static void check_deadlock(void) {
  const crebind_image_observer observer = {.added = load_in_callback};
  crebind_observation *observation;
  main_thread = pthread_self();
  CHECK(crebind_observe(&observer, &observation, NULL) == CREBIND_OK);
  for (int round = 0; round < 20; round++) {
    nested = (struct nested_loads){.inner = inner, .waits = 1};
    // Loaded before the other thread takes the loader's lock, and reported after.
    void *image = load((void *)other);
    CHECK(dlclose(image) == 0);
    pthread_t thread = START(load_nesting, NULL);
    while (!atomic_load(&nested.is_inside)) {}
    // The loader's lock is the other thread's: what this one has loaded before is
    // told by a refresh.
    CHECK(crebind_refresh(NULL) == CREBIND_OK);
    atomic_store(&nested.may_load, 1);
    image = load((void *)other);
    void *outer = JOIN(thread);
    CHECK(dlclose(outer) == 0 && dlclose(image) == 0);
  }
  CHECK(atomic_load(&loads_in_callback) > 0);
  crebind_unobserve(observation);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  nesting = argv[1], inner = argv[2], other = argv[3];
  char address[32];
  snprintf(address, sizeof address, "%p", (void *)&nested);
  setenv("NESTED_LOADS", address, 1);
  check_order();
  check_deadlock();
  printf("told in order\n");
}
