/// Replacements read their originals plainly, as fishhook's users do, while another thread
/// applies and restores batches above and below them: no race, for ThreadSanitizer either.
///
/// Usage: plain-original TIMES

#include "steps.h"

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
  handles[0] = APPLY(&rebindings[0], 1, NULL, NULL);
  pthread_t thread = START(call, NULL);
  // The one that stays leads to the other one, and then to the function again.
  for (int i = 0; i < atoi(argv[1]); i++) {
    int next = (i + 1) % 2;
    handles[next] = APPLY(&rebindings[next], 1, NULL, NULL);
    RESTORE(handles[1 - next]);
  }
  atomic_store(&is_done, true);
  JOIN(thread);
  puts("read plainly");
}
