/// Functions that a sanitizer defines in the program: its own calls do not reach a rebinding, and the
/// report says so.

#include "steps.h"

static pid_t replacement(void) { return 1; }

static bool is_named;
static void visit(const crebind_diagnosis *diagnosis, void *context) {
  (void)context;
  is_named |= diagnosis->reason == CREBIND_REASON_BOUND_INSIDE
              && diagnosis->image.soname[0] == 0
              && strcmp(diagnosis->detail, "sanitizer") == 0;
}

static bool is_wanted;
static bool matches(const crebind_image_info *image, void *context) {
  (void)image;
  (void)context;
  return is_wanted;
}

/// How many rebindings of one the report says are intercepted.
static size_t intercepted(const char *name, crebind_scope scope) {
  crebind_rebinding rebinding = {.name = name, .replacement = (void *)replacement};
  crebind_options options = {.scope = scope, .matches = matches};
  crebind_report report;
  RESTORE(APPLY(&rebinding, 1, &options, &report));
  is_named = false;
  CHECK(crebind_diagnose(&rebinding, &options, visit, NULL, NULL) == CREBIND_OK);
  CHECK(is_named == (report.intercepted == 1));
  return report.intercepted;
}

int main(void) {
  char byte;
  CHECK(read(-1, &byte, 1) == -1 && getppid() != 1);
  CHECK(intercepted("read", CREBIND_SCOPE_ALL) == INTERCEPTED);
  CHECK(intercepted("read", CREBIND_SCOPE_MAIN) == INTERCEPTED);
  CHECK(intercepted("getppid", CREBIND_SCOPE_ALL) == 0);
  CHECK(intercepted("read", CREBIND_SCOPE_MATCHING) == 0);
  is_wanted = true;
  CHECK(intercepted("read", CREBIND_SCOPE_MATCHING) == INTERCEPTED);
  puts("intercepted");
}
