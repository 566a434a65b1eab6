#include "calls.h"
#include "CRebind.h"
#include "measure.h"

#include <stdlib.h>

enum { CALLS = 10 * 1000 * 1000, ROUNDS = 9 };

static int (*original)(int);

static int return_at_once(int value) { return value + 1; }
static int pass_on(int value) { return original(value); }

static double time_of_calls(void) {
  int value = 0;
  double start = now();
  for (int i = 0; i < CALLS; i++) value = callee(value);
  double time = now() - start;
  if (value != CALLS) abort();
  return time / CALLS;
}

static double time_of_replacement(void) {
  int (*volatile replacement)(int) = return_at_once;
  int value = 0;
  double start = now();
  for (int i = 0; i < CALLS; i++) value = replacement(value);
  return (now() - start) / CALLS;
}

static double time_through(int (*replacement)(int)) {
  crebind_rebinding rebinding = {
      .name = "callee", .replacement = (void *)replacement, .original = (void **)&original};
  crebind_handle *handle;
  if (crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) != CREBIND_OK) abort();
  double time = time_of_calls();
  if (crebind_restore(handle, NULL, NULL) != CREBIND_OK) abort();
  return time;
}

struct call_times measure_calls(void) {
  double unhooked[ROUNDS], replaced[ROUNDS], passed_on[ROUNDS], replacement[ROUNDS];
  time_of_calls();  // warms up, and binds the slot
  // In turn, so that a busy machine slows all of them.
  for (int i = 0; i < ROUNDS; i++) {
    unhooked[i] = time_of_calls();
    replaced[i] = time_through(return_at_once);
    passed_on[i] = time_through(pass_on);
    replacement[i] = time_of_replacement();
  }
  return (struct call_times){median(unhooked, ROUNDS), median(replaced, ROUNDS),
                             median(passed_on, ROUNDS), median(replacement, ROUNDS)};
}
