/// Observers hear of images that one dlopen loads in the loader's order, whatever places in the
/// records have become free.
///
/// Usage: observe-order PLUGIN OTHER-PLUGIN LIBRARY-WITH-DEPENDENCY

#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <string.h>

static int count;
static char names[16][64];

static void note(const crebind_image_info *image, void *context) {
  (void)context;
  const char *slash = strrchr(image->path, '/');
  snprintf(names[count++ % 16], sizeof names[0], "%s", slash != NULL ? slash + 1 : image->path);
}

static void *load(const char *path) {
  void *image = dlopen(path, RTLD_NOW);
  CHECK(image != NULL);
  return image;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  const crebind_image_observer observer = {.added = note};
  crebind_observation *observation;
  CHECK(crebind_observe(&observer, &observation, NULL) == CREBIND_OK);
  // Two places become free and are taken again, then the first becomes free.
  void *first = load(argv[1]), *second = load(argv[2]);
  CHECK(dlclose(first) == 0 && dlclose(second) == 0);
  first = load(argv[1]);
  load(argv[2]);
  CHECK(dlclose(first) == 0);
  count = 0;
  load(argv[3]);
  CHECK(count == 2);
  CHECK(strcmp(names[0], "dependent.so") == 0 && strcmp(names[1], "libdependency.so") == 0);
  crebind_unobserve(observation);
  printf("in the loader's order\n");
}
