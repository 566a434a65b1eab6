/// The image of a replacement asks dlsym for the function behind it, and waits for the loader's
/// lock while a batch is applied. It is given the function, and not its own replacement, which
/// would call itself for ever.
///
/// Usage: question-under-way SLOW
///
/// - unseen: the image's first question, which nobody has seen
/// - next: a later one by RTLD_NEXT, which is passed on
/// - handle: one by a handle
/// - second: as unseen, while a batch is applied that covers the image and has no definitions
///
/// Meanwhile another question about a version is answered from the table.

#include "steps.h"
#include "../threads/blocked-resolver.h"
#include "question-under-way.h"

static struct blocked_resolver shared;

static void *load(void *path) { return OPEN(path, RTLD_LAZY); }

static atomic_int asker;
static void *ask(void *handle) {
  atomic_store(&asker, gettid());
  return asker_ask(handle);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  const char *mode = argv[1];
  char address[32];
  snprintf(address, sizeof address, "%p", (void *)&shared);
  setenv("BLOCKED_RESOLVER", address, 1);
  void *libc = OPEN("libc.so.6", RTLD_LAZY);
  void *function = FIND(libc, "getppid");
  bool is_seen = strcmp(mode, "next") == 0 || strcmp(mode, "handle") == 0;
  if (is_seen) REBIND("getpgrp", asker_hook, NULL, NULL, NULL);

  pthread_t loader = START(load, argv[2]);
  while (!atomic_load(&shared.is_inside)) {}
  pthread_t thread = START(ask, strcmp(mode, "handle") == 0 ? libc : RTLD_NEXT);
  while (atomic_load(&asker) == 0) {}
  wait_until_asleep(atomic_load(&asker));
  crebind_report report;
  if (strcmp(mode, "second") == 0) REBIND("not_there_yet", asker_hook, NULL, NULL, NULL);
  crebind_handle *handle = REBIND("getppid", asker_hook, NULL, NULL, &report);
  CHECK(report.postponed == 1);
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  REBIND("not_there_at_all", asker_hook, NULL, NULL, NULL);
  // The loader would not answer before it may go on.
  CHECK(asker_ask_version(RTLD_NEXT) == function);
  atomic_store(&shared.may_go_on, 1);
  JOIN(loader);
  CHECK(JOIN(thread) == function);

  // The next call finds that the thread has its answer.
  CHECK(FIND(libc, "getppid") == function);
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  CHECK(FIND(libc, "getppid") == (void *)asker_hook);
  CHECK(asker_ask(RTLD_NEXT) == function && asker_ask(libc) == function);
  RESTORE(handle);
  CHECK(FIND(libc, "getppid") == function);
  printf("given the function\n");
}
