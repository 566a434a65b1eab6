/// A program and a library, each with a copy of CRebind of its own: each knows of both,
/// itself first, and each is told of an annotated plug-in, but not of what unloads when
/// the process exits.
///
/// Usage: copies LIBRARY PLUGIN: this file with -DLIBRARY, and annotations-plugin.c.

#include "CRebind.h"
#include "check.h"

#include <dlfcn.h>
#include <stdbool.h>

/// What a copy was told, and when it must not be any more.
struct events {
  int loads, unloads;
  bool is_at_exit;
};

static void visit(const crebind_image_info *image, void *count) {
  bool is_own = image->header == crebind_image_containing((const void *)(uintptr_t)visit);
  CHECK(is_own == (*(int *)count == 0));
  ++*(int *)count;
}

static int count_copies(void) {
  int count = 0;
  CHECK(crebind_copies(visit, &count, NULL) == CREBIND_OK);
  return count;
}

static void note(const void *header, bool is_loaded, void *context) {
  struct events *events = context;
  CHECK(header != NULL && !events->is_at_exit);
  *(is_loaded ? &events->loads : &events->unloads) += 1;
}

#ifdef LIBRARY

int library_copies(void);
int library_copies(void) { return count_copies(); }

void library_listen(struct events *events);
void library_listen(struct events *events) { crebind_listen_for_annotations(note, events); }

#else

static struct events own, others;

static void begin_exit(void) { own.is_at_exit = others.is_at_exit = true; }

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  CHECK(count_copies() == 1);
  void *library = dlopen(argv[1], RTLD_NOW);
  CHECK(library != NULL);
  int (*library_copies)(void) = (int (*)(void))dlsym(library, "library_copies");
  void (*library_listen)(struct events *) =
      (void (*)(struct events *))dlsym(library, "library_listen");
  CHECK(library_copies != NULL && library_listen != NULL);
  CHECK(count_copies() == 2 && library_copies() == 2);

  CHECK(atexit(begin_exit) == 0);
  library_listen(&others);
  crebind_listen_for_annotations(note, &own);
  // It goes on being told: the library stays.
  CHECK(dlclose(library) == 0);
  for (int i = 1; i <= 2; i++) {
    void *plugin = dlopen(argv[2], RTLD_NOW);
    CHECK(plugin != NULL && own.loads == i && others.loads == i);
    if (i == 2) break;
    CHECK(dlclose(plugin) == 0);
    CHECK(own.unloads == i && others.unloads == i);
  }
  crebind_listen_for_annotations(NULL, NULL);
  puts("each was told");
}

#endif
