/// Libraries that were built again since their callers were linked, with versions or
/// another soname: a rebinding follows what the loader binds to by now.

#if defined(LIBRARY)

#include <unistd.h>

#ifdef VERSIONED
int number_old(void) { return 1; }
int number_new(void) { return 2; }
__asm__(".symver number_old, number@V1");
__asm__(".symver number_new, number@@V2");
#else
int number(void) { return NUMBER; }
/// Imported functions have a version, and so the library has a table of versions.
pid_t parent(void) { return getppid(); }
#endif

#elif defined(CALLER)

#ifdef OLD_VERSION
__asm__(".symver number, number@V1");
#endif
int number(void);
int (*number_pointer)(void) = number;
int call_number(void) { return number() + 10 * number_pointer(); }

#else

#include "steps.h"

static int (*original)(void);
static int hook(void) { return 2 + original(); }

static int (*open_caller(const char *name))(void) {
  return FIND(OPEN(name, RTLD_LAZY | RTLD_LOCAL), "call_number");
}

static void visit(const crebind_diagnosis *diagnosis, void *context) {
  char *found = context;
  if (strstr(diagnosis->image.path, "-caller.so") != NULL)
    sprintf(found + strlen(found), "%d:%s:%zu ", (int)diagnosis->reason, diagnosis->detail,
            diagnosis->slots);
}

/// Rebinds in the callers, which reach `number` by a call and by a pointer; restored,
/// they do as before.
static void expect(const char *name, int (*call)(void), int number, const char *diagnosis) {
  crebind_rebinding rebinding = {.name = name, .replacement = (void *)hook,
                                 .original = (void **)&original};
  char found[256] = "";
  CHECK(crebind_diagnose(&rebinding, NULL, visit, found, NULL) == CREBIND_OK);
  if (strcmp(found, diagnosis) != 0) fprintf(stderr, "%s: %s\n", name, found);
  CHECK(strcmp(found, diagnosis) == 0);
  crebind_report report;
  crebind_handle *handle = APPLY(&rebinding, 1, NULL, &report);
  CHECK(report.skipped == 0);
  int hooked = diagnosis[0] == '1' ? number + 2 : number;
  CHECK(call() == 11 * hooked);
  RESTORE(handle);
  CHECK(call() == 11 * number);
}

static void run_case(int number) {
#ifdef __GLIBC__
  enum { BOUND = 1 };  // the first version
#else
  enum { BOUND = 2 };  // the default version, whatever is asked for
#endif
  int (*call)(void);
  switch (number) {
  case 0:  // A reference without a version: bound to one all the same.
    call = open_caller("unversioned-caller.so");
    expect(BOUND == 1 ? "number@V2" : "number@V1", call, BOUND,
           BOUND == 1 ? "5:V1:2 " : "5:V2:2 ");
    break;
  case 1:
    call = open_caller("unversioned-caller.so");
    expect(BOUND == 1 ? "number@V1" : "number@V2", call, BOUND, "1::2 ");
    break;
  case 2:  // A reference to what is not the default.
    call = open_caller("old-caller.so");
    expect("number@V1", call, BOUND, "1::2 ");
    break;
  case 3:  // A library that its caller knows by the name of its file.
    call = open_caller("renamed-caller.so");
    expect("number", call, 3, "1::2 ");
    break;
  case 4:  // Opened globally: what has no version serves a reference with one.
    OPEN("plugin.so", RTLD_LAZY | RTLD_GLOBAL);
    call = open_caller("old-caller.so");
    expect("number", call, 5, "1::2 ");
    break;
  }
}

int main(void) {
  for (int i = 0; i < 5; i++) {
    // A process each: the loader has bound nothing yet.
    pid_t child = fork();
    if (child == 0) {
      run_case(i);
      exit(0);
    }
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (status != 0) fprintf(stderr, "case %d\n", i);
    CHECK(status == 0);
  }
  printf("rebound\n");
}

#endif
