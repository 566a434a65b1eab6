// Listens to images that carry annotations, by a note of its own
// (Documentation/ABI/Annotations.md). Loads and unloads the given images twice, and prints the
// events of these, and of itself, if it has any.

#include "steps.h"

#include <RebindAnnotations.h>

static void listen(const void *address, uint32_t event) {
  Dl_info info;
  CHECK(dladdr(address, &info) != 0);
  // The image's own code can still be looked up: it is there.
  dprintf(1, "%s %s\n", event == REBIND_EVENT_LOADED ? "loaded" : "unloading",
          strrchr(info.dli_fname, '/') + 1);
}

__attribute__((used)) static rebind_listener *listener __asm__("listener_of_the_fixture") = listen;
__asm__(REBIND_NOTE("2", REBIND_WORD "listener_of_the_fixture - .\n"));

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    for (int round = 0; round < 2; round++) {
      dprintf(1, "dlopen\n");
      void *image = dlopen(argv[i], RTLD_NOW);
      if (image == NULL) fprintf(stderr, "%s\n", dlerror());
      CHECK(image != NULL);
      // The second reference is no news.
      CHECK(dlopen(argv[i], RTLD_NOW) == image && dlclose(image) == 0);
      dprintf(1, "dlclose\n");
      CHECK(dlclose(image) == 0);
    }
  dprintf(1, "exit\n");
  return 0;
}
