/// Another thread waits for the loader's lock, which this thread holds in a constructor. A batch that is
/// applied there does not wait for that thread, which cannot leave before.
///
/// Usage: own-lock CONSTRUCTOR OTHER CALLER

#include "steps.h"

#include <sys/resource.h>

static const char *other;
static atomic_int waiter;
static bool has_run;

static pid_t hook(void) { return 4711; }

static void *load(void *unused) {
  (void)unused;
  atomic_store(&waiter, gettid());
  return OPEN(other, RTLD_LAZY);
}

static long times_asleep(void) {
  struct rusage usage;
  CHECK(getrusage(RUSAGE_THREAD, &usage) == 0);
  return usage.ru_nvcsw;
}

static pthread_t thread;

/// Called by the constructor.
static void apply(void) {
  thread = START(load, NULL);
  while (atomic_load(&waiter) == 0) {}
  wait_until_asleep(atomic_load(&waiter));
  const crebind_options options = {.slots_only = true};
  long before = times_asleep();
  REBIND("getppid", hook, NULL, &options, NULL);
  // A wait for a thread that stays there sleeps each millisecond of a second.
  CHECK(times_asleep() - before < 100);
  has_run = true;
}

static void added(const crebind_image_info *image, void *unused) { (void)image, (void)unused; }

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  other = argv[2];
  pid_t (*call)(void) = FIND(OPEN(argv[3], RTLD_LAZY), "plugin_call");
  // For the wrapper around dlopen.
  const crebind_image_observer observer = {.added = added};
  crebind_observation *observation;
  CHECK(crebind_observe(&observer, &observation, NULL) == CREBIND_OK);
  char address[32];
  snprintf(address, sizeof address, "%p", (void *)apply);
  setenv("OWN_LOCK", address, 1);
  void *image = OPEN(argv[1], RTLD_LAZY);
  CHECK(has_run && call() == 4711);
  CHECK(dlclose(JOIN(thread)) == 0 && dlclose(image) == 0);
  crebind_unobserve(observation);
  printf("not waited for\n");
}
