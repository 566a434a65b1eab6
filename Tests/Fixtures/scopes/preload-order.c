/// Preloaded images are in the global scope, also behind a library that the program needs anyway.
///
/// Usage: preload-order NEEDED PRELOADED; starts itself again with both preloaded.

#define _GNU_SOURCE
#if defined(LIBRARY)

#ifdef NUMBER
int number(void) { return NUMBER; }
#else
int needed(void) { return 0; }
#endif

#else

#include "steps.h"

int number(void);
int needed(void);

static int (*original)(void);
static int hook(void) { return 100 + original(); }

int main(int argc, char *argv[]) {
  if (argc == 3) {
    char list[8192];
    snprintf(list, sizeof list, "%s %s", argv[1], argv[2]);
    CHECK(setenv("LD_PRELOAD", list, 1) == 0);
    execl("/proc/self/exe", argv[0], (char *)NULL);
  }
  CHECK(argc == 1 && needed() == 0);
  int (*found)(void) = (int (*)(void))crebind_lookup("number");
  CHECK(found != NULL && found() == 2);
  crebind_handle *handle = REBIND("number", hook, &original, NULL, NULL);
  CHECK(number() == 102);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK && number() == 2);
  printf("preloaded\n");
}

#endif
