/// The slots of an instrumented library that exports a variable: some lie in memory that
/// AddressSanitizer has poisoned. They are read, and one of them is rebound, all the same.
///
/// Usage: poisoned-slots LIBRARY

#ifdef LIBRARY
int poisoned_variable = 1;
int poisoned_function(void) { return poisoned_variable; }
#else

#include "steps.h"

#include <sanitizer/asan_interface.h>

static const char *path;
static int replacement;
/// The symbol of a slot that is poisoned.
static char name[256];

static void note_slot(const crebind_slot_contents *slot, void *unused) {
  (void)unused;
  if (__asan_address_is_poisoned((const void *)slot->address) == 0) return;
  CHECK(slot->word != 0);
  snprintf(name, sizeof name, "%s", slot->symbol);
}

static void look_at_image(const crebind_image_contents *image, void *unused) {
  if (strcmp(image->info.path, path) == 0)
    CHECK(crebind_image_slots(image->info.header, true, note_slot, unused, NULL) == CREBIND_OK);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  path = argv[1];
  void *library = OPEN(path, RTLD_NOW);
  CHECK(crebind_images(look_at_image, NULL, NULL) == CREBIND_OK);
  CHECK(name[0] != 0);

  crebind_report applied, verified, restored;
  crebind_handle *handle = REBIND(name, &replacement, NULL, NULL, &applied);
  CHECK(applied.changed > 0);
  CHECK(crebind_verify(handle, &verified, NULL) == CREBIND_OK);
  CHECK(verified.unchanged == applied.changed);
  CHECK(crebind_restore(handle, &restored, NULL) == CREBIND_OK);
  CHECK(restored.changed == applied.changed);
  CHECK(CALL(library, "poisoned_function") == 1);
  printf("read\n");
}
#endif
