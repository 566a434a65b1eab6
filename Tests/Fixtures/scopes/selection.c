/// A rebinding takes the right slots: by version, by the library that defines the symbol, by image.
/// `call_old` and `call_new` are bound to two versions of one library, `call_other` to another
/// library's definition of the same name.

#include "steps.h"

static int (*original)(void);
static int hook(void) { return 100 + original(); }

static int (*call_old)(void), (*call_new)(void), (*call_other)(void);
static char asked[1024];

static bool is_new_caller(const crebind_image_info *image, void *context) {
  CHECK(strcmp(context, "context") == 0);
  strcat(strcat(asked, file_name(image->path)), ":");
  return strcmp(file_name(image->path), "libnew.so") == 0;
}

static pid_t hook_parent(void) { return 1; }
pid_t (*own_pointer)(void) = getppid;

/// Applies with the options, and expects which of the three callers are hooked.
static void expect(const char *name, const char *version, const char *library,
                   const crebind_options *options, const char *hooked) {
  crebind_rebinding rebinding = {.name = name, .replacement = (void *)hook, .version = version,
                                 .library = library, .original = (void **)&original};
  crebind_handle *handle = APPLY(&rebinding, 1, options, NULL);
  char seen[4] = "";
  if (call_old() > 100) strcat(seen, "o");
  if (call_new() > 100) strcat(seen, "n");
  if (call_other() > 100) strcat(seen, "x");
  if (strcmp(seen, hooked) != 0) fprintf(stderr, "%s %s %s: %s\n", name, version, library, seen);
  CHECK(strcmp(seen, hooked) == 0);
  RESTORE(handle);
  CHECK(call_old() == 1 && call_new() == 2 && call_other() == 3);
}

int main(void) {
  // Local scopes: two libraries that define one name.
  void *old = OPEN("libold.so", RTLD_LAZY | RTLD_LOCAL);
  void *new = OPEN("libnew.so", RTLD_LAZY | RTLD_LOCAL);
  void *other = OPEN("libother.so", RTLD_LAZY | RTLD_LOCAL);
  pid_t (*call_parent)(void) = FIND(old, "call_parent");
  call_old = FIND(old, "call_old");
  call_new = FIND(new, "call_new");
  call_other = FIND(other, "call_other");

  // The versions of one library together, and the other library's function not.
  expect("number", NULL, NULL, NULL, "on");
  expect("number", "V1", NULL, NULL, "o");
  expect("number", "V2", NULL, NULL, "n");
  expect("number@V1", NULL, NULL, NULL, "o");
  expect("number@@V2", NULL, NULL, NULL, "n");
  expect("number", "V3", NULL, NULL, "");
  expect("number", NULL, "libversioned.so", NULL, "on");
  expect("number", NULL, "libplain.so", NULL, "x");
  expect("number", "V1", "libplain.so", NULL, "");

  expect("number", NULL, NULL, &(crebind_options){.scope = CREBIND_SCOPE_MAIN}, "");
  const void *headers[] = {header_of((void *)call_old), header_of((void *)call_other)};
  expect("number", NULL, NULL,
         &(crebind_options){.scope = CREBIND_SCOPE_IMAGES, .images = headers, .image_count = 2},
         "o");
  crebind_options matching = {
      .scope = CREBIND_SCOPE_MATCHING, .matches = is_new_caller, .context = "context"};
  expect("number", NULL, NULL, &matching, "n");
  // Neither the vDSO nor the loader is offered, and no image twice.
  CHECK(strstr(asked, "vdso") == NULL && strstr(asked, "ld-linux") == NULL);
  char *first = strstr(asked, "libnew.so:");
  CHECK(first != NULL && strstr(first + 1, "libnew.so:") == NULL);

  // One batch may tell versions apart, each with its own replacement.
  int (*originals[2])(void);
  crebind_rebinding both[] = {
      {.name = "number", .version = "V1", .replacement = (void *)call_other,
       .original = (void **)&originals[0]},
      {.name = "number", .version = "V2", .replacement = (void *)hook,
       .original = (void **)&originals[1]},
  };
  crebind_handle *handle = APPLY(both, 2, NULL, NULL);
  original = originals[1];
  CHECK(call_old() == 3 && call_new() == 102 && originals[0]() == 1);
  RESTORE(handle);

  // Each slot has its own original; the one of the rebinding is a summary.
  crebind_report report;
  handle = REBIND("number", hook, &original, NULL, &report);
  CHECK(report.ambiguous == 1 && report.changed == 2 && report.left_alone == 1);
  RESTORE(handle);

  // The image that applies is left out on request.
  CHECK(getppid() > 1 && own_pointer() > 1);
  crebind_options options = {.excludes_self = true};
  handle = REBIND("getppid", hook_parent, NULL, &options, &report);
  CHECK(getppid() > 1 && own_pointer() > 1 && call_parent() == 1);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK && call_parent() > 1);
  printf("selected\n");
}
