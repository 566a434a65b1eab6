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

static void expect(const char *text, bool is_there) {
  if ((strstr(found, text) != NULL) == is_there) return;
  fprintf(stderr, "%s %s in: %s\n", is_there ? "expected" : "did not expect", text, found);
  exit(1);
}

/// A question, and lines that the diagnosis has and lacks.
static const struct {
  const char *name, *version, *library;
  crebind_scope scope;
  bool unversioned_only;
  const char *has[3], *lacks[2];
} questions[] = {
    {"defined_nowhere", .has = {"libundefined.so:10:undefined:1 ", "none:8::0 "}},
    {"number", .has = {"libold.so:1::1 ", "libother.so:15::1 ", "libversioned.so:3::0 "}},
    {"number", .version = "V1", .has = {"libold.so:1::1 ", "libother.so:6:libplain.so:1 "}},
    {"number", .version = "V2", .has = {"libold.so:5:V1:1 "}, .lacks = {"none:2::0 ", ":8:"}},
    {"number", .version = "V3", .has = {"libversioned.so:8:version:0 "}},
    {"fork", .version = "GLIBC_9.9", .has = {"libc.so.6:8:version:0 "}, .lacks = {":3:"}},
    {"number", .unversioned_only = true, .has = {"libold.so:5:V1:1 ", "libother.so:1::1 "}},
    {"number", .library = "libplain.so",
     .has = {"libold.so:6:libversioned.so:1 ", "libother.so:1::1 "}},
    {"number", .scope = CREBIND_SCOPE_MAIN, .has = {"libold.so:7::1 ", "none:2::0 "}},
    // It is defined, though not where this program would look.
    {"value", .has = {"libsymbolic.so:3:-Bsymbolic:0 ", "none:2::0 "}, .lacks = {"none:8:"}},
    {"open", .has = {"liblarge.so:4:open64:1 ", "liblarge.so:4:__open_2:1 "}},
    {"__dlopen64_2", .has = {"main:4:dlopen:1 "}},
    {"no_such_function", .has = {"none:2::0 ", "none:8::0 "}},
    {"printf", .has = {"main:4:puts:1 "}},
};

static void count_open64(const char *name, void *context) {
  *(int *)context += strcmp(name, "open64") == 0;
}

int main(void) {
  OPEN("libold.so", RTLD_NOW | RTLD_LOCAL);
  OPEN("libother.so", RTLD_NOW | RTLD_LOCAL);
  OPEN("libsymbolic.so", RTLD_NOW | RTLD_LOCAL);
  OPEN("liblarge.so", RTLD_NOW | RTLD_LOCAL);

  OPEN("libundefined.so", RTLD_LAZY | RTLD_LOCAL);

  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
    crebind_rebinding rebinding = {.name = questions[i].name, .version = questions[i].version,
                                   .library = questions[i].library,
                                   .unversioned_only = questions[i].unversioned_only};
    crebind_options options = {.scope = questions[i].scope};
    found[0] = 0;
    CHECK(crebind_diagnose(&rebinding, &options, visit, NULL, NULL) == CREBIND_OK);
    for (int line = 0; line < 3 && questions[i].has[line] != NULL; line++)
      expect(questions[i].has[line], true);
    for (int line = 0; line < 2 && questions[i].lacks[line] != NULL; line++)
      expect(questions[i].lacks[line], false);
  }
  void *plain = OPEN("libplain.so", RTLD_NOW);
  crebind_rebinding of_plain = {.name = "number", .definer = header_of(FIND(plain, "number"))};
  found[0] = 0;
  CHECK(crebind_diagnose(&of_plain, NULL, visit, NULL, NULL) == CREBIND_OK);
  expect("libold.so:6:libversioned.so:1 ", true);
  expect("libother.so:1::1 ", true);
  of_plain.definer = found;
  CHECK(crebind_diagnose(&of_plain, NULL, visit, NULL, NULL) == CREBIND_NO_SUCH_IMAGE);
  int count = 0;
  CHECK(crebind_other_names("open", count_open64, &count) == CREBIND_OK && count == 1);
  puts("diagnosed");
}
