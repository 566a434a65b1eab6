/// A thread is asleep inside of the lazy resolver. It has found the function, and waits for the
/// loader's lock to note that the calling image needs the other one. The loader does that for a
/// symbol of an image that may be unloaded. Then it stores what it has found. A batch that is
/// applied meanwhile decides what the slot has at the end.
///
/// Usage: blocked-resolver SLOW CALLER
///
/// The caller is an image that needs the one with the call and, unlike that one,
/// the definer.

#include "steps.h"
#include "blocked-resolver.h"

static struct blocked_resolver shared;
static int hook(void) { return 2; }

static void *load(void *path) { return OPEN(path, RTLD_LAZY); }

static int (*call)(void);
static atomic_int caller;
static void *make_first_call(void *result) {
  atomic_store(&caller, gettid());
  *(int *)result = call();
  return NULL;
}

/// While the batch waits for the thread that is blocked, and after a while of that.
static void *let_go_on(void *unused) {
  wait_until_asleep(getpid());
  sleep_for(200);
  atomic_store(&shared.may_go_on, 1);
  return unused;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  char address[32];
  snprintf(address, sizeof address, "%p", (void *)&shared);
  setenv("BLOCKED_RESOLVER", address, 1);
  call = FIND(load(argv[2]), "call_blocked");

  int result = 0;
  pthread_t loader = START(load, argv[1]);
  while (!atomic_load(&shared.is_inside)) {}
  pthread_t first = START(make_first_call, &result);
  while (atomic_load(&caller) == 0) {}
  wait_until_asleep(atomic_load(&caller));
  pthread_t waker = START(let_go_on, NULL);
  const crebind_options options = {.loaded_images_only = true};
  REBIND("blocked", hook, NULL, &options, NULL);
  JOIN(first);
  JOIN(loader);
  JOIN(waker);
  // It called what it had found.
  CHECK(result == 1 && call() == 2);
  printf("had the last word\n");
}
