/// An image with Swift code stays loaded once it has been held, as the Swift runtime keeps
/// pointers into it.
///
/// Usage: hold-swift PLUGIN...: this file with -DLIBRARY, with one of Swift's libraries or
/// Swift's metadata.

#include "steps.h"

#ifdef LIBRARY

#ifdef METADATA
__attribute__((section("swift5_type_metadata"), used)) static int metadata[4] = {1};
#endif

int plugin(void);
int plugin(void) { return 1; }

#else

static void find(const crebind_image_contents *image, void *context) {
  crebind_image_contents *wanted = context;
  if (image->info.header != wanted->info.header) return;
  wanted->dynamic = image->dynamic;
  wanted->generation = image->generation;
}

int main(int argc, char *argv[]) {
  for (int i = 1; i < argc; i++) {
    void *image = OPEN(argv[i], RTLD_NOW);
    crebind_image_contents contents = {
        .info.header = crebind_image_containing(FIND(image, "plugin"))};
    CHECK(crebind_images(find, &contents, NULL) == CREBIND_OK && contents.dynamic != 0);
    crebind_image_hold *hold = (crebind_image_hold *)&contents;
    crebind_error error;
    CHECK(crebind_hold_image(contents.info.header, contents.dynamic, contents.generation, &hold,
                             &error)
          == CREBIND_OK);
    CHECK(hold == NULL);
    CHECK(dlerror() == NULL);
    crebind_release_image(hold);
    CHECK(dlclose(image) == 0);
    OPEN(argv[i], RTLD_NOW | RTLD_NOLOAD);
  }
  puts("kept");
}

#endif
