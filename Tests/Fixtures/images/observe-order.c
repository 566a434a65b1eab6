/// Observers hear of images that one dlopen loads in the loader's order, whatever places in the
/// records have become free.
///
/// Usage: observe-order PLUGIN OTHER-PLUGIN LIBRARY-WITH-DEPENDENCY

#include "steps.h"

static int count;
static char names[16][64];

static void note(const crebind_image_info *image, void *context) {
  (void)context;
  snprintf(names[count++ % 16], sizeof names[0], "%s", file_name(image->path));
}

int main(int argc, char *argv[]) {
  CHECK(argc == 4);
  const crebind_image_observer observer = {.added = note};
  crebind_observation *observation;
  CHECK(crebind_observe(&observer, &observation, NULL) == CREBIND_OK);
  // Two places become free and are taken again, then the first becomes free.
  void *first = OPEN(argv[1], RTLD_NOW), *second = OPEN(argv[2], RTLD_NOW);
  CHECK(dlclose(first) == 0 && dlclose(second) == 0);
  first = OPEN(argv[1], RTLD_NOW);
  OPEN(argv[2], RTLD_NOW);
  CHECK(dlclose(first) == 0);
  count = 0;
  OPEN(argv[3], RTLD_NOW);
  CHECK(count == 2);
  CHECK(strcmp(names[0], "dependent.so") == 0 && strcmp(names[1], "libdependency.so") == 0);
  crebind_unobserve(observation);
  printf("in the loader's order\n");
}
