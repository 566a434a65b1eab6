/// A thread is asleep inside of the lazy resolver. It has found the function, and waits for the
/// loader's lock to note that the calling image needs the other one. The loader does that for a
/// symbol of an image that may be unloaded. Then it stores what it has found. A batch that is
/// applied meanwhile has the last word.
///
/// Usage: blocked-resolver SLOW CALLER
///
/// The caller is an image that needs the one with the call and, unlike that one,
/// the definer.

#define _GNU_SOURCE
#include "CRebind.h"
#include "blocked-resolver.h"
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct blocked_resolver shared;
static int hook(void) { return 2; }

static void *load(void *path) {
  void *image = dlopen(path, RTLD_LAZY);
  if (image == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(image != NULL);
  return image;
}

static int (*call)(void);
static atomic_int caller;
static void *make_first_call(void *result) {
  atomic_store(&caller, gettid());
  *(int *)result = call();
  return NULL;
}

/// Until the thread is blocked; by the state in its stat file.
static void wait_until_blocked(void) {
  while (atomic_load(&caller) == 0) {}
  for (;;) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&caller));
    FILE *file = fopen(path, "r");
    CHECK(file != NULL && fgets(text, sizeof text, file) != NULL && fclose(file) == 0);
    if (strrchr(text, ')')[2] == 'S') return;
  }
}

static void *let_go_on(void *unused) {
  usleep(200000);
  atomic_store(&shared.may_go_on, 1);
  return unused;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  char address[32];
  snprintf(address, sizeof address, "%p", (void *)&shared);
  setenv("BLOCKED_RESOLVER", address, 1);
  call = (int (*)(void))dlsym(load(argv[2]), "call_blocked");

  pthread_t loader, first, waker;
  int result = 0;
  CHECK(pthread_create(&loader, NULL, load, argv[1]) == 0);
  while (!atomic_load(&shared.is_inside)) {}
  CHECK(pthread_create(&first, NULL, make_first_call, &result) == 0);
  wait_until_blocked();
  CHECK(pthread_create(&waker, NULL, let_go_on, NULL) == 0);
  const crebind_rebinding rebinding = {.name = "blocked", .replacement = (void *)hook};
  const crebind_options options = {.loaded_images_only = true};
  crebind_handle *handle;
  CHECK(crebind_apply(&rebinding, 1, &options, &handle, NULL, NULL) == CREBIND_OK);
  CHECK(pthread_join(first, NULL) == 0 && pthread_join(loader, NULL) == 0);
  CHECK(pthread_join(waker, NULL) == 0);
  // It called what it had found.
  CHECK(result == 1 && call() == 2);
  printf("had the last word\n");
}
