/// A replacement for malloc that prints, which allocates: the guard lets it print
/// once a call, and each thread has its own.

#define _GNU_SOURCE
#include "CRebind.h"
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

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
  alarm(20);
  output = fopen("/dev/null", "w");
  CHECK(output != NULL);
  crebind_rebinding rebinding = {
      .name = "malloc", .replacement = (void *)hook, .original = (void **)&original};
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  int before = atomic_load(&prints);
  for (int i = 0; i < 10; i++) allocate(NULL);
  CHECK(atomic_load(&prints) - before == 10);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, allocate, NULL) == 0);
  for (int i = 0; i < 4; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(atomic_load(&prints) - before >= 14);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  int last = atomic_load(&calls);
  allocate(NULL);
  CHECK(atomic_load(&calls) == last);
  printf("printed once a call\n");
}
