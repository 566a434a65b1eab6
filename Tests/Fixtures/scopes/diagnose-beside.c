/// Diagnoses while another thread opens and closes libraries that import the function. A row that is
/// of no image names none, though the look before had one of theirs in its place.
///
/// Usage: diagnose-beside ROUNDS LASTING-LIBRARY LIBRARY OTHER-LIBRARY

#include "steps.h"

static atomic_bool has_ended;

static void *open_and_close(void *opaque) {
  char **paths = opaque;
  while (!has_ended) {
    void *first = OPEN(paths[0], RTLD_NOW | RTLD_LOCAL);
    void *second = OPEN(paths[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(dlclose(second) == 0 && dlclose(first) == 0);
  }
  return NULL;
}

static void visit(const crebind_diagnosis *diagnosis, void *context) {
  bool is_general = diagnosis->reason == CREBIND_REASON_NOT_IMPORTED;
  CHECK((diagnosis->image.header == NULL) == is_general);
  *(int *)context += is_general;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 5);
  OPEN(argv[2], RTLD_NOW | RTLD_LOCAL);
  pthread_t thread = START(open_and_close, argv + 3);
  crebind_rebinding rebinding = {.name = "own_price"};
  int seen = 0;
  for (int i = atoi(argv[1]); i > 0 || seen == 0; i--) {
    int count = 0;
    CHECK(crebind_diagnose(&rebinding, NULL, visit, &count, NULL) == CREBIND_OK && count <= 1);
    seen += count;
  }
  has_ended = true;
  JOIN(thread);
  printf("no row has an image of an earlier look\n");
}
