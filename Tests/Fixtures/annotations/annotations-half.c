/// The annotations of an image that another thread's dlopen has mapped and not relocated
/// are passed over until it is: their accessors have no addresses yet. Then the generation
/// is another one, also if the image tells nothing of itself.
///
/// Usage: annotations-half PLUGIN: annotations-plugin.c, which needs half-loaded-library.c.

#include "steps.h"
#include "half-loaded.h"

static void *open_library(void *path) { return OPEN(path, RTLD_NOW); }

static void note(const crebind_annotation *annotation, void *context) {
  int *counts = context;
  CHECK(annotation->record.fault == CREBIND_RECORD_VALID);
  counts[0]++;
  counts[1] += annotation->record.accessor != 0;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  struct half_loaded *shared =
      mmap((void *)HALF_LOADED_ADDRESS, 4096, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  CHECK(shared == (void *)HALF_LOADED_ADDRESS);
  pthread_t opener = START(open_library, argv[1]);
  while (__atomic_load_n(&shared->is_inside, __ATOMIC_SEQ_CST) == 0) {}

  int counts[2] = {0, 0};
  uint64_t generation = crebind_annotations_generation();
  for (int i = 0; i < 2; i++)
    CHECK(crebind_annotations(NULL, note, counts, NULL) == CREBIND_OK && counts[0] == 0);
  __atomic_store_n(&shared->may_go_on, 1, __ATOMIC_SEQ_CST);
  JOIN(opener);
  CHECK(generation != crebind_annotations_generation());
  generation = crebind_annotations_generation();
  CHECK(crebind_annotations(NULL, note, counts, NULL) == CREBIND_OK);
  CHECK(counts[0] == 3 && counts[1] == 1);
  CHECK(generation == crebind_annotations_generation());
  puts("seen when it was there");
}
