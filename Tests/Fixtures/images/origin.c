/// $ORIGIN in a dlopen of the program, which dlinfo(RTLD_DI_ORIGIN) cannot be asked for: it copies from
/// NULL until the loader itself has expanded one.

#include "steps.h"

#ifdef LIBRARY

static void added(const crebind_image_info *image, void *count) {
  (void)image;
  ++*(int *)count;
}
int watch(int *count) {
  crebind_image_observer observer = {added, NULL, count};
  crebind_observation *observation;
  return crebind_observe(&observer, &observation, NULL);
}

#else

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  int count = 0;
  int (*watch)(int *) = FIND(OPEN(argv[1], RTLD_NOW), "watch");
  CHECK(watch(&count) == CREBIND_OK);
  int before = count;
  void *late = OPEN("$ORIGIN/late.so", RTLD_NOW);
  CHECK(count == before + 1 && dlclose(late) == 0);
  CHECK(dlopen("$ORIGIN/none.so", RTLD_NOW) == NULL);
  CHECK(strstr(dlerror(), "none.so: cannot open shared object file") != NULL);
  OPEN("${ORIGIN}/late.so", RTLD_NOW);
  CHECK(count == before + 2);
  printf("found\n");
}

#endif
