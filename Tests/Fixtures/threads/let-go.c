/// A thread waits for a word of the loader's for as long as a batch waits for it. It stands for one
/// in a lazy resolver, whose store the program makes itself. Each call compares the slot until the
/// thread has gone on; later calls do not.
///
/// Usage: let-go CALLER

#include "steps.h"

#include <linux/futex.h>

static pid_t hook(void) { return 4711; }

static atomic_int waiter;
static void *wait_in_loader(void *word) {
  atomic_store(&waiter, gettid());
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, *(int *)word, NULL, NULL, 0);
  return NULL;
}

static uintptr_t *slot;
static uintptr_t value;
static void find_slot(const crebind_slot_info *info, void *unused) {
  (void)unused;
  slot = (uintptr_t *)info->address;
  value = (uintptr_t)info->original;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  pid_t (*call)(void) = FIND(OPEN(argv[1], RTLD_LAZY), "plugin_call");
  int *word = FIND(RTLD_DEFAULT, "_r_debug");
  pthread_t thread = START(wait_in_loader, word);
  while (atomic_load(&waiter) == 0) {}
  wait_until_asleep(atomic_load(&waiter));
  const crebind_options options = {.slots_only = true};
  crebind_handle *handle = REBIND("getppid", hook, NULL, &options, NULL);
  CHECK(crebind_slots(handle, find_slot, NULL, NULL) == CREBIND_OK && slot != NULL);
  for (int i = 0; i < 2; i++) {
    *slot = value;
    CHECK(call() != 4711 && crebind_refresh(NULL) == CREBIND_OK && call() == 4711);
  }
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
  JOIN(thread);
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  // Nobody is there any more who might have stored it.
  *slot = value;
  CHECK(crebind_refresh(NULL) == CREBIND_OK && call() != 4711);
  CHECK(crebind_verify(handle, NULL, NULL) == CREBIND_OK && call() == 4711);
  printf("found by the next calls\n");
}
