/// A rebinding takes the right slots: by version, by the library that defines the symbol, by image.
/// `call_old` and `call_new` are bound to two versions of one library. `call_bare` is bound to the older
/// one and asks for no version, and `call_other` to another library's definition of the same name.

#include "steps.h"

static int (*original)(void);
static int hook(void) { return 100 + original(); }

static int (*call_old)(void), (*call_new)(void), (*call_other)(void), (*call_bare)(void);
static char asked[1024];

static bool is_new_caller(const crebind_image_info *image, void *context) {
  CHECK(strcmp(context, "context") == 0);
  strcat(strcat(asked, file_name(image->path)), ":");
  return strcmp(file_name(image->path), "libnew.so") == 0;
}

static pid_t hook_parent(void) { return 1; }
pid_t (*own_pointer)(void) = getppid;

/// Applies with the options, and expects which of the three callers are hooked.
static void expect_of(crebind_rebinding rebinding, const crebind_options *options,
                      const char *hooked) {
  rebinding.replacement = (void *)hook;
  rebinding.original = (void **)&original;
  crebind_handle *handle = APPLY(&rebinding, 1, options, NULL);
  char seen[5] = "";
  if (call_old() > 100) strcat(seen, "o");
  if (call_new() > 100) strcat(seen, "n");
  if (call_other() > 100) strcat(seen, "x");
  if (call_bare() > 100) strcat(seen, "b");
  if (strcmp(seen, hooked) != 0)
    fprintf(stderr, "%s %s %s: %s\n", rebinding.name, rebinding.version, rebinding.library, seen);
  CHECK(strcmp(seen, hooked) == 0);
  RESTORE(handle);
  CHECK(call_old() == 1 && call_new() == 2 && call_other() == 3 && call_bare() == 1);
}

static void expect(const char *name, const char *version, const char *library,
                   const crebind_options *options, const char *hooked) {
  expect_of((crebind_rebinding){.name = name, .version = version, .library = library}, options,
            hooked);
}

static crebind_status refused(crebind_rebinding first, crebind_rebinding second) {
  crebind_rebinding rebindings[] = {first, second};
  rebindings[0].replacement = rebindings[1].replacement = (void *)hook;
  crebind_handle *handle;
  return crebind_apply(rebindings, 2, NULL, &handle, NULL, NULL);
}

/// By the image that defines the symbol, which may have no name to be selected by.
static void select_by_definer(void *gone) {
  const void *versioned = header_of(FIND(OPEN("libversioned.so", RTLD_LAZY), "number"));
  const void *plain = header_of(FIND(OPEN("libplain.so", RTLD_LAZY), "number"));
  CHECK(versioned != plain);
  expect_of((crebind_rebinding){.name = "number", .definer = versioned}, NULL, "onb");
  expect_of((crebind_rebinding){.name = "number", .version = "V2", .definer = versioned}, NULL,
            "n");
  expect_of((crebind_rebinding){.name = "number", .definer = plain}, NULL, "x");
  expect_of((crebind_rebinding){.name = "number", .definer = header_of((void *)expect)}, NULL, "");
  crebind_rebinding one = {.name = "number", .replacement = (void *)hook, .definer = gone};
  crebind_handle *handle;
  CHECK(crebind_apply(&one, 1, NULL, &handle, NULL, NULL) == CREBIND_NO_SUCH_IMAGE);
  const crebind_rebinding of_plain = {.name = "number", .definer = plain};
  CHECK(refused(of_plain, (crebind_rebinding){.name = "number"}) == CREBIND_DUPLICATE_NAME);
  CHECK(refused((crebind_rebinding){.name = "number"}, of_plain) == CREBIND_DUPLICATE_NAME);
  CHECK(refused(of_plain, of_plain) == CREBIND_DUPLICATE_NAME);

  // Each definer and version with its own replacement.
  crebind_rebinding each[] = {
      {.name = "number", .version = "V1", .replacement = (void *)call_other, .definer = versioned},
      {.name = "number", .version = "V2", .replacement = (void *)hook, .definer = versioned,
       .original = (void **)&original},
      {.name = "number", .replacement = (void *)hook_parent, .definer = plain},
  };
  handle = APPLY(each, 3, NULL, NULL);
  CHECK(call_old() == 1 && call_new() == 102 && call_other() == 1);
  RESTORE(handle);

  // Nothing calls it there, and what the program would find is another library's.
  one = (crebind_rebinding){.name = "getppid", .library = "libplain.so",
                            .replacement = (void *)hook_parent, .original = (void **)&original};
  original = NULL;
  handle = APPLY(&one, 1, NULL, NULL);
  CHECK(original == NULL && getppid() > 1);
  RESTORE(handle);
}

/// References that ask for no version, beside those that ask for the one that these are bound to.
static void select_without_version(void) {
  const crebind_rebinding bare = {.name = "number", .unversioned_only = true};
  expect_of(bare, NULL, "b");
  crebind_rebinding both[] = {{.name = "number", .version = "V1", .replacement = (void *)hook,
                               .original = (void **)&original}, bare};
  both[1].replacement = (void *)call_other;
  for (int order = 0; order < 2; order++) {
    crebind_handle *handle = APPLY(both, 2, NULL, NULL);
    CHECK(call_old() == 101 && call_bare() == 3 && call_new() == 2);
    RESTORE(handle);
    crebind_rebinding first = both[0];
    both[0] = both[1];
    both[1] = first;
  }
  CHECK(refused(bare, bare) == CREBIND_DUPLICATE_NAME);
  CHECK(refused(bare, (crebind_rebinding){.name = "number"}) == CREBIND_DUPLICATE_NAME);
  crebind_rebinding odd = bare;
  odd.version = "V1";
  CHECK(refused(odd, (crebind_rebinding){.name = "close"}) == CREBIND_INVALID_ARGUMENT);
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
  call_bare = FIND(OPEN("libbare.so", RTLD_LAZY | RTLD_LOCAL), "call_bare");

  // Covers all versions of one library, and not the other library's function.
  expect("number", NULL, NULL, NULL, "onb");
  expect("number", "V1", NULL, NULL, "ob");
  expect("number", "V2", NULL, NULL, "n");
  expect("number@V1", NULL, NULL, NULL, "ob");
  expect("number@@V2", NULL, NULL, NULL, "n");
  expect("number", "V3", NULL, NULL, "");
  expect("number", NULL, "libversioned.so", NULL, "onb");
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
  CHECK(report.ambiguous == 1 && report.changed == 3 && report.left_alone == 1);
  RESTORE(handle);

  select_by_definer(&report);
  select_without_version();

  // The image that applies is left out on request.
  CHECK(getppid() > 1 && own_pointer() > 1);
  crebind_options options = {.excludes_self = true};
  handle = REBIND("getppid", hook_parent, NULL, &options, &report);
  CHECK(getppid() > 1 && own_pointer() > 1 && call_parent() == 1);
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK && call_parent() > 1);
  printf("selected\n");
}
