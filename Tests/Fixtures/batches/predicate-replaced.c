/// While a predicate is asked about an image, that goes, and another one takes its place in the
/// records. The answer is not the other one's, which is asked about by itself.
///
/// Usage: predicate-replaced PLUGIN1 PLUGIN2

#include "steps.h"

COUNTING_HOOK(pid_t)

static void *first, *second;
static const char *second_path;
static int asked;

static bool matches(const crebind_image_info *image, void *context) {
  if (!is_plugin(image, context)) return false;
  if (second == NULL) {
    CHECK(dlclose(first) == 0 && crebind_refresh(NULL) == CREBIND_OK);
    second = OPEN(second_path, RTLD_NOW);
    CHECK(crebind_refresh(NULL) == CREBIND_OK);
    return false;
  }
  asked++;
  return true;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  second_path = argv[2];
  first = OPEN(argv[1], RTLD_NOW);
  const crebind_options options = {.scope = CREBIND_SCOPE_MATCHING, .matches = matches};
  crebind_handle *handle = REBIND("getppid", hook, &original, &options, NULL);
  CHECK(asked == 1 && CALL(second, "plugin_call") == getppid() && hooked == 1);
  RESTORE(handle);
  printf("asked about the other one\n");
}
