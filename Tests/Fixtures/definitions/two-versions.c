/// The one original of a name with two versions: the slots' where they agree; what
/// dlsym(RTLD_DEFAULT) would give where they differ; the first slot's where that gives
/// nothing. Definitions that differ count as ambiguous.

#if defined(CALLER)

int number(void);
#ifdef OLD_VERSION
__asm__(".symver number, number@V1");
#endif
int CALLER(void) { return number(); }

#else

#include "steps.h"

int call_old(void);
int call_new(void);

static int (*original)(void);
static int hook(void) { return 100 + original(); }

static crebind_report apply(const crebind_options *options, crebind_handle **handle) {
  crebind_report report;
  original = NULL;
  *handle = REBIND("number", hook, &original, options, &report);
  return report;
}

int main(void) {
  // The loader's own: a slot of an image that holds a replacement gives what is behind it.
  void *(*find)(void *, const char *, const char *) =
      (void *(*)(void *, const char *, const char *))dlsym(RTLD_DEFAULT, "dlvsym");
  crebind_handle *handle;
  CHECK(call_old() == 1 && call_new() == 2);
  // The slot of the old version comes first; the default version is the original.
  crebind_report report = apply(NULL, &handle);
  CHECK(report.ambiguous == 1 && report.changed == 2);
  CHECK(original() == 2 && call_old() == 102 && call_new() == 102);
  CHECK(find(RTLD_DEFAULT, "number", "V1") == (void *)hook);
  CHECK(find(RTLD_DEFAULT, "number", "V2") == (void *)hook);
  RESTORE(handle);
  CHECK(call_old() == 1 && call_new() == 2);

  // One image's slots agree, and the other definition is somebody's all the same.
  const void *header = header_of((void *)call_old);
  crebind_options options = {
      .scope = CREBIND_SCOPE_IMAGES, .images = &header, .image_count = 1};
  report = apply(&options, &handle);
  CHECK(report.ambiguous == 0 && original() == 1 && call_old() == 101 && call_new() == 2);
  RESTORE(handle);

  // Restored from below, the one above is as right as it was.
  static int (*upper_original)(void);
  apply(NULL, &handle);
  crebind_handle *upper = REBIND("number", main, &upper_original, NULL, &report);
  CHECK(upper_original == hook && report.ambiguous == 0);
  RESTORE(handle);
  CHECK(upper_original() == 2);
  RESTORE(upper);
  CHECK(call_old() == 1 && call_new() == 2);
  printf("the default version\n");
}

#endif
