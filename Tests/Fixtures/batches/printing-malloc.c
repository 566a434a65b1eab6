/// A replacement for malloc that prints, which allocates: the guard lets it print
/// once a call, and each thread has its own.

#include "steps.h"

static FILE *output;
static atomic_int calls, prints;
static void *(*original)(size_t);

static void *hook(size_t size) {
  atomic_fetch_add(&calls, 1);
  if (!crebind_enter(5)) return original(size);
  atomic_fetch_add(&prints, 1);
  // Allocates again, through libc.
  char *text = NULL;
  CHECK(asprintf(&text, "malloc(%zu)\n", size) > 0);
  fputs(text, output);
  free(text);
  CHECK(!crebind_enter(5) && crebind_enter(6));
  crebind_leave(6);
  crebind_leave(5);
  return original(size);
}

static void *allocate(void *unused) {
  void *volatile memory = malloc(10);
  CHECK(memory != NULL);
  free(memory);
  return unused;
}

int main(void) {
  output = fopen("/dev/null", "w");
  CHECK(output != NULL);
  crebind_handle *handle = REBIND("malloc", hook, &original, NULL, NULL);
  int before = atomic_load(&prints);
  for (int i = 0; i < 10; i++) allocate(NULL);
  CHECK(atomic_load(&prints) - before == 10);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) threads[i] = START(allocate, NULL);
  for (int i = 0; i < 4; i++) JOIN(threads[i]);
  CHECK(atomic_load(&prints) - before >= 14);
  RESTORE(handle);
  int last = atomic_load(&calls);
  allocate(NULL);
  CHECK(atomic_load(&calls) == last);
  printf("printed once a call\n");
}
