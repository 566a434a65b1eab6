/// Every bad argument gets its status, and changes nothing.

#include "steps.h"
#include "fishhook.h"

static void *original = NULL;
static pid_t hook(void) { return -1; }

static int count_main(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  *(uintptr_t *)context = info->dlpi_addr;
  return 1;
}

static void expect(crebind_status expected, const crebind_rebinding *batch, size_t count,
                   const crebind_options *options, int64_t rebinding) {
  crebind_handle *handle = NULL;
  crebind_error error;
  memset(&error, 0xff, sizeof error);
  CHECK(crebind_apply(batch, count, options, &handle, NULL, &error) == expected);
  CHECK(error.status == expected && error.rebinding == rebinding && handle == NULL);
  CHECK(original == NULL && getppid() > 0);
}

static void on_slot(const crebind_slot_info *slot, void *context) { (void)slot, (void)context; }
static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  (void)import, (void)choice, (void)context;
}
static void on_image(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
}

#define REFUSES(call)                                                                  \
  do {                                                                                 \
    crebind_error error;                                                               \
    memset(&error, 0xff, sizeof error);                                                \
    CHECK((call) == CREBIND_INVALID_ARGUMENT);                                         \
    CHECK(error.status == CREBIND_INVALID_ARGUMENT && error.rebinding == -1);          \
  } while (0)

/// A missing handle, name, observer or visitor, which compilers warn of where they
/// see it.
static void pass_nothing(const crebind_rebinding *good) {
  void *volatile nothing = NULL;
  crebind_image_observer observer = {.added = on_image}, no_function = {NULL, NULL, NULL};
  crebind_observation *observation = NULL;
  crebind_handle *handle;
  crebind_report report;
  REFUSES(crebind_apply(good, 1, NULL, nothing, &report, &error));
  REFUSES(crebind_restore(nothing, &report, &error));
  REFUSES(crebind_verify(nothing, &report, &error));
  REFUSES(crebind_plan(good, 1, NULL, nothing, NULL, &error));
  REFUSES(crebind_plan(good, 0, NULL, on_slot, NULL, &error));
  REFUSES(crebind_slots(nothing, on_slot, NULL, &error));
  REFUSES(crebind_observe(nothing, &observation, &error));
  REFUSES(crebind_observe(&observer, nothing, &error));
  REFUSES(crebind_observe(&no_function, &observation, &error));
  REFUSES(crebind_audit(nothing, NULL, &error));
  REFUSES(crebind_diagnose(good, NULL, nothing, NULL, &error));
  REFUSES(crebind_diagnose(nothing, NULL, nothing, NULL, &error));
  crebind_options no_predicate = {.scope = CREBIND_SCOPE_MATCHING};
  crebind_options no_images = {.scope = CREBIND_SCOPE_IMAGES, .image_count = 1};
  const void *image = good;
  crebind_options no_count = {.scope = CREBIND_SCOPE_IMAGES, .images = &image};
  REFUSES(crebind_apply(good, 1, &no_predicate, &handle, NULL, &error));
  REFUSES(crebind_apply(good, 1, &no_images, &handle, NULL, &error));
  crebind_imports *imports;
  REFUSES(crebind_apply_imports(nothing, NULL, NULL, &imports, &report, &error));
  REFUSES(crebind_apply_imports(choose, NULL, NULL, nothing, &report, &error));
  REFUSES(crebind_apply_imports(choose, NULL, &no_images, &imports, &report, &error));
  REFUSES(crebind_apply_imports(choose, NULL, &no_count, &imports, &report, &error));
  REFUSES(crebind_plan_imports(nothing, NULL, NULL, on_slot, NULL, &error));
  REFUSES(crebind_plan_imports(choose, NULL, NULL, nothing, NULL, &error));
  REFUSES(crebind_restore_imports(nothing, &report, &error));
  REFUSES(crebind_verify_imports(nothing, &report, &error));
  REFUSES(crebind_imports_slots(nothing, on_slot, NULL, &error));
  crebind_unobserve(nothing);
  CHECK(crebind_lookup(nothing) == NULL && observation == NULL);
  CHECK(crebind_other_names("open", nothing, NULL) == CREBIND_INVALID_ARGUMENT);
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  CHECK(original == NULL && getppid() > 0);

  CHECK(crebind_apply(good, 1, NULL, &handle, NULL, NULL) == CREBIND_OK);
  REFUSES(crebind_slots(handle, nothing, NULL, &error));
  CHECK(crebind_restore(handle, NULL, NULL) == CREBIND_OK);
  CHECK(crebind_apply_imports(choose, NULL, NULL, &imports, NULL, NULL) == CREBIND_OK);
  REFUSES(crebind_imports_slots(imports, nothing, NULL, &error));
  CHECK(crebind_restore_imports(imports, NULL, NULL) == CREBIND_OK);
  original = NULL;
}

int main(void) {
  crebind_rebinding good = {.name = "getppid", .replacement = (void *)hook, .original = &original};
  crebind_rebinding no_name = {.name = NULL, .replacement = (void *)hook, .original = &original};
  crebind_rebinding empty_name = {.name = "", .replacement = (void *)hook, .original = &original};
  crebind_rebinding no_replacement = {.name = "getppid", .original = &original};
  crebind_rebinding empty_library = good, empty_version = good;
  empty_library.library = empty_version.version = "";
  crebind_rebinding twice[] = {good, {.name = "open", .replacement = (void *)hook}, good};
  crebind_rebinding second_bad[] = {good, no_name};
  int no_header = 0;
  const void *headers[] = {&no_header};
  crebind_options no_image = {.scope = CREBIND_SCOPE_IMAGES, .images = headers, .image_count = 1};

  expect(CREBIND_INVALID_ARGUMENT, NULL, 1, NULL, -1);
  expect(CREBIND_INVALID_ARGUMENT, &good, 0, NULL, -1);
  expect(CREBIND_INVALID_ARGUMENT, &no_name, 1, NULL, 0);
  expect(CREBIND_EMPTY_NAME, &empty_name, 1, NULL, 0);
  expect(CREBIND_INVALID_ARGUMENT, &empty_library, 1, NULL, 0);
  expect(CREBIND_INVALID_ARGUMENT, &empty_version, 1, NULL, 0);
  expect(CREBIND_INVALID_ARGUMENT, &no_replacement, 1, NULL, 0);
  expect(CREBIND_INVALID_ARGUMENT, second_bad, 2, NULL, 1);
  expect(CREBIND_DUPLICATE_NAME, twice, 3, NULL, 2);
  expect(CREBIND_NO_SUCH_IMAGE, &good, 1, &no_image, -1);

  pass_nothing(&good);

  struct rebinding fishhook = {"getppid", (void *)hook, &original};
  uintptr_t bias = 0;
  dl_iterate_phdr(count_main, &bias);
  // fishhook takes an empty array for nothing to do.
  CHECK(rebind_symbols(NULL, 0) == 0 && rebind_symbols(&fishhook, 0) == 0);
  CHECK(rebind_symbols(NULL, 1) == -1 && errno == EINVAL);
  CHECK(rebind_symbols_image(NULL, 0, NULL, 0) == -1 && errno == EINVAL);
  CHECK(rebind_symbols_image(NULL, 0, &fishhook, 1) == -1 && errno == EINVAL);
  CHECK(rebind_symbols_image(&no_header, 0, &fishhook, 1) == -1 && errno == EINVAL);
  // The right header with the wrong slide.
  extern const ElfW(Ehdr) __ehdr_start;
  void *header = (void *)&__ehdr_start;
  CHECK(rebind_symbols_image(header, (intptr_t)bias + 1, &fishhook, 1) == -1 && errno == EINVAL);
  CHECK(original == NULL && getppid() > 0);
  CHECK(rebind_symbols_image(header, (intptr_t)bias, NULL, 0) == 0);
  CHECK(rebind_symbols_image(header, (intptr_t)bias, &fishhook, 1) == 0);
  CHECK(original != NULL && getppid() == -1);
  printf("refused\n");
}
