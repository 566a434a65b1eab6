/// Every reason that a rebinding sees an image's calls or not, each from an
/// image that has it.

#include "steps.h"

static char found[8192];
static void visit(const crebind_diagnosis *diagnosis, void *context) {
  (void)context;
  const char *slash = strrchr(diagnosis->image.path, '/');
  const char *name = diagnosis->image.header == NULL ? "none"
                     : slash != NULL                 ? slash + 1
                                                     : "main";
  CHECK(strcmp(crebind_reason_description(diagnosis->reason), "unknown reason") != 0);
  snprintf(found + strlen(found), sizeof found - strlen(found), "%s:%d:%s:%zu ", name,
           (int)diagnosis->reason, diagnosis->detail, diagnosis->slots);
}

static void diagnose(const char *name, const char *version, const char *library,
                     crebind_scope scope) {
  crebind_rebinding rebinding = {.name = name, .version = version, .library = library};
  crebind_options options = {.scope = scope};
  found[0] = 0;
  CHECK(crebind_diagnose(&rebinding, &options, visit, NULL, NULL) == CREBIND_OK);
}

static void expect(const char *text) {
  if (strstr(found, text) == NULL) fprintf(stderr, "expected %s in: %s\n", text, found);
  CHECK(strstr(found, text) != NULL);
}

static void expect_not(const char *text) {
  if (strstr(found, text) != NULL) fprintf(stderr, "did not expect %s in: %s\n", text, found);
  CHECK(strstr(found, text) == NULL);
}

static void count_open64(const char *name, void *context) {
  *(int *)context += strcmp(name, "open64") == 0;
}

int main(void) {
  OPEN("libold.so", RTLD_NOW | RTLD_LOCAL);
  OPEN("libother.so", RTLD_NOW | RTLD_LOCAL);
  OPEN("libsymbolic.so", RTLD_NOW | RTLD_LOCAL);
  OPEN("liblarge.so", RTLD_NOW | RTLD_LOCAL);

  OPEN("libundefined.so", RTLD_LAZY | RTLD_LOCAL);

  diagnose("defined_nowhere", NULL, NULL, CREBIND_SCOPE_ALL);
  expect("libundefined.so:10:undefined:1 ");
  expect("none:8::0 ");
  diagnose("number", NULL, NULL, CREBIND_SCOPE_ALL);
  expect("libold.so:1::1 ");
  expect("libother.so:1::1 ");
  expect("libversioned.so:3::0 ");
  diagnose("number", "V1", NULL, CREBIND_SCOPE_ALL);
  expect("libold.so:1::1 ");
  expect("libother.so:6:libplain.so:1 ");
  diagnose("number", "V2", NULL, CREBIND_SCOPE_ALL);
  expect("libold.so:5:V1:1 ");
  expect_not("none:2::0 ");
  expect_not(":8:");
  diagnose("number", "V3", NULL, CREBIND_SCOPE_ALL);
  expect("libversioned.so:8:version:0 ");
  diagnose("fork", "GLIBC_9.9", NULL, CREBIND_SCOPE_ALL);
  expect("libc.so.6:8:version:0 ");
  expect_not(":3:");
  diagnose("number", NULL, "libplain.so", CREBIND_SCOPE_ALL);
  expect("libold.so:6:libversioned.so:1 ");
  expect("libother.so:1::1 ");
  diagnose("number", NULL, NULL, CREBIND_SCOPE_MAIN);
  expect("libold.so:7::1 ");
  expect("none:2::0 ");

  diagnose("value", NULL, NULL, CREBIND_SCOPE_ALL);
  expect("libsymbolic.so:3:-Bsymbolic:0 ");
  // It is defined, though not where this program would look.
  expect("none:2::0 ");
  expect_not("none:8:");
  diagnose("open", NULL, NULL, CREBIND_SCOPE_ALL);
  expect("liblarge.so:4:open64:1 ");
  expect("liblarge.so:4:__open_2:1 ");
  diagnose("__dlopen64_2", NULL, NULL, CREBIND_SCOPE_ALL);
  expect("main:4:dlopen:1 ");
  diagnose("no_such_function", NULL, NULL, CREBIND_SCOPE_ALL);
  expect("none:2::0 ");
  expect("none:8::0 ");
  diagnose("printf", NULL, NULL, CREBIND_SCOPE_ALL);
  expect("main:4:puts:1 ");
  int count = 0;
  CHECK(crebind_other_names("open", count_open64, &count) == CREBIND_OK && count == 1);
  puts("diagnosed");
}
