/// Replacements read their originals plainly, as fishhook's users do, while another thread
/// applies and restores batches above and below them: no race, for ThreadSanitizer either.
///
/// Usage: plain-original TIMES

#include "CRebind.h"
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static pid_t (*originals[2])(void);
static pid_t hook0(void) { return originals[0](); }
static pid_t hook1(void) { return originals[1](); }

static atomic_bool is_done;

static void *call(void *unused) {
  pid_t parent = getppid();
  while (!atomic_load(&is_done)) CHECK(getppid() == parent);
  return unused;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  const crebind_rebinding rebindings[] = {
      {.name = "getppid", .replacement = (void *)hook0, .original = (void **)&originals[0]},
      {.name = "getppid", .replacement = (void *)hook1, .original = (void **)&originals[1]},
  };
  crebind_handle *handles[2];
  CHECK(crebind_apply(&rebindings[0], 1, NULL, &handles[0], NULL, NULL) == CREBIND_OK);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, call, NULL) == 0);
  // The one that stays leads to the other one, and then to the function again.
  for (int i = 0; i < atoi(argv[1]); i++) {
    int next = (i + 1) % 2;
    CHECK(crebind_apply(&rebindings[next], 1, NULL, &handles[next], NULL, NULL) == CREBIND_OK);
    CHECK(crebind_restore(handles[1 - next], NULL, NULL) == CREBIND_OK);
  }
  atomic_store(&is_done, true);
  CHECK(pthread_join(thread, NULL) == 0);
  puts("read plainly");
}
