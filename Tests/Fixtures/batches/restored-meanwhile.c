/// Three restores overlap. The second batch waits inside of its restore, as a lazy resolver might
/// find its replacement. Meanwhile a third one is applied, the first one's restore begins, and the
/// third one is restored. In the end the definition is as it was. The program itself does not import
/// dlsym, so that nothing waits for its questions.
///
/// Usage: restored-meanwhile SLOW

#include "steps.h"
#include "../threads/blocked-resolver.h"
#include "../neighbours/question-under-way.h"

static struct blocked_resolver shared;
static atomic_int number;

static void *load(void *path) {
  atomic_store(&number, gettid());
  return OPEN(path, RTLD_LAZY);
}

static void *restore(void *handle) {
  atomic_store(&number, gettid());
  RESTORE(handle);
  return NULL;
}

/// Starts a thread, and waits until it sleeps.
static pthread_t start_and_wait(void *(*run)(void *), void *argument) {
  atomic_store(&number, 0);
  pthread_t thread = START(run, argument);
  while (atomic_load(&number) == 0) {}
  wait_until_asleep(atomic_load(&number));
  return thread;
}

#define HOOK(n) \
  static pid_t hook##n(void) { return n; }
HOOK(1)
HOOK(2)
HOOK(3)

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  char address[32];
  snprintf(address, sizeof address, "%p", (void *)&shared);
  setenv("BLOCKED_RESOLVER", address, 1);
  void *libc = OPEN("libc.so.6", RTLD_LAZY);
  void *function = asker_ask(libc);
  // A slot that has not been bound, with the same replacement twice.
  crebind_rebinding rebindings[] = {{.name = "getppid", .replacement = (void *)hook1},
                                    {.name = "getpgrp", .replacement = (void *)hook1}};
  crebind_handle *first = APPLY(rebindings, 2, NULL, NULL);
  rebindings[0].replacement = (void *)hook2;
  crebind_handle *second = APPLY(rebindings, 2, NULL, NULL);

  pthread_t loader = START(load, argv[1]);
  while (!atomic_load(&shared.is_inside)) {}
  pthread_t waiter = start_and_wait(load, "libc.so.6");
  pthread_t restorers[2];
  restorers[0] = start_and_wait(restore, second);
  crebind_handle *third = REBIND("getppid", hook3, NULL, NULL, NULL);
  restorers[1] = start_and_wait(restore, first);
  RESTORE(third);
  atomic_store(&shared.may_go_on, 1);
  JOIN(loader);
  JOIN(waiter);
  for (int i = 0; i < 2; i++) JOIN(restorers[i]);
  CHECK(asker_ask(libc) == function);
  if (getppid() < 0) getpgrp();
  printf("all are restored\n");
}
