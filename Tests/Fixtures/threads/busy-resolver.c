/// A thread is busy inside of the lazy resolver, which runs an IFUNC's own. Then the loader stores what
/// it has found. A batch that is applied meanwhile has the last word.
///
/// Usage: busy-resolver long|ended|started. The IFUNC's resolver goes on until the slot holds the
/// hook, and for half a millisecond more. Or it returns then, and the thread has ended before anybody
/// asks where it is. Or it is a predicate that starts that thread.

#if defined(LIBRARY)

#include "busy-resolver.h"

#include <time.h>

struct busy_resolver busy_resolver;

static long nanoseconds(void) {
  struct timespec now;
  // No system call, like resolvers that ask the processor.
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}

static int seven(void) { return 7; }

__attribute__((used)) static int (*resolve(void))(void) {
  // Not where a batch asks what the original is.
  if (atomic_exchange(&busy_resolver.stage, BUSY_INSIDE) != BUSY_EXPECTED) return seven;
  volatile uintptr_t *slot = busy_resolver.slot;
  uintptr_t word = *slot;
  while (*slot == word) continue;
  for (long start = nanoseconds(); nanoseconds() - start < busy_resolver.longer;) continue;
  return seven;
}

int busy(void) __attribute__((ifunc("resolve")));

#else

#include "steps.h"
#include "busy-resolver.h"

static int hook(void) { return 2; }

static const crebind_rebinding rebinding = {.name = "busy", .replacement = (void *)hook};

static void keep_address(const crebind_slot_info *slot, void *address) {
  CHECK(slot->is_lazy);
  *(uintptr_t *)address = slot->address;
}

static void *make_first_call(void *result) {
  atomic_store(&busy_resolver.stage, BUSY_EXPECTED);
  *(int *)result = busy();
  // The fastest way to end.
  syscall(SYS_exit, 0);
  return NULL;
}

static pthread_t thread;
static int first;

static void start_thread(void) {
  atomic_store(&busy_resolver.stage, 0);
  thread = START(make_first_call, &first);
  while (atomic_load(&busy_resolver.stage) != BUSY_INSIDE) {}
}

static bool start_and_accept(const crebind_image_info *image, void *unused) {
  (void)image;
  (void)unused;
  static bool has_started;
  if (!has_started) start_thread();
  has_started = true;
  return true;
}

static void race(const char *mode) {
  uintptr_t slot = 0;
  // Code that runs for the first time takes long.
  CHECK(crebind_plan(&rebinding, 1, NULL, keep_address, &slot, NULL) == CREBIND_OK);
  CHECK(slot != 0);
  busy_resolver.slot = (uintptr_t *)slot;
  if (strcmp(mode, "long") == 0) busy_resolver.longer = 500000;
  crebind_options options = {.loaded_images_only = true};
  if (strcmp(mode, "started") == 0) {
    options.scope = CREBIND_SCOPE_MATCHING;
    options.matches = start_and_accept;
  } else {
    start_thread();
  }
  APPLY(&rebinding, 1, &options, NULL);
  JOIN(thread);
  // It called what it had found.
  CHECK(first == 7 && busy() == 2);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  // The slot is bound once in a process.
  for (int i = 0; i < 32; i++) {
    IN_CHILD race(argv[1]);
  }
  printf("had the last word\n");
}

#endif
