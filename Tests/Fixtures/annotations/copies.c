/// A program and a library, each with a copy of CRebind of its own. Each knows of both, itself
/// first, and hears of an annotated plug-in, but not of images that unload when the process exits.
/// A copy that is unloaded gives back what it has kept.
///
/// Usage: copies LIBRARY PLUGIN: this file with -DLIBRARY, and annotations-plugin.c.

#include "steps.h"

/// The events of a copy, and whether it may still get any.
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

static void ignore(const crebind_annotation *annotation, void *context) {
  (void)annotation, (void)context;
}

static void look(void) { CHECK(crebind_annotations(NULL, ignore, NULL, NULL) == CREBIND_OK); }

/// `crebind_listen_for_annotations`, of another copy.
typedef void listening(crebind_annotation_listener *listener, void *context);

#ifdef LIBRARY

void library_look(void);
void library_look(void) { look(); }

int library_copies(void);
int library_copies(void) { return count_copies(); }

void library_listen(struct events *events);
void library_listen(struct events *events) { crebind_listen_for_annotations(note, events); }

void library_listen_elsewhere(listening *listen, struct events *events);
void library_listen_elsewhere(listening *listen, struct events *events) { listen(note, events); }

#else

static struct events own, others;

static void begin_exit(void) { own.is_at_exit = others.is_at_exit = true; }

/// In pages.
static long memory(void) {
  long pages;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%ld", &pages) == 1);
  fclose(file);
  return pages;
}

/// All but what is known of images, which takes two pages.
static void check_memory(const char *path) {
  enum { TIMES = 50 };
  long before = 0;
  for (int i = 0; i <= TIMES; i++) {
    if (i == 1) before = memory();
    void *library = OPEN(path, RTLD_NOW);
    ((void (*)(void))FIND(library, "library_look"))();
    CHECK(dlclose(library) == 0);
  }
  CHECK(memory() - before <= 2 * TIMES);
}

/// A listener's image stays, whichever copy it listens at; in a process of its own.
static void check_listener(const char *path, const char *annotated) {
  IN_CHILD {
    void *library = OPEN(path, RTLD_NOW);
    void (*listen)(listening *, struct events *) = FIND(library, "library_listen_elsewhere");
    listen(crebind_listen_for_annotations, &others);
    CHECK(dlclose(library) == 0);
    OPEN(annotated, RTLD_NOW);
    CHECK(others.loads == 1);
  }
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  check_listener(argv[1], argv[2]);
  CHECK(count_copies() == 1);
  check_memory(argv[1]);
  look();
  void *library = OPEN(argv[1], RTLD_NOW);
  int (*library_copies)(void) = FIND(library, "library_copies");
  void (*library_listen)(struct events *) = FIND(library, "library_listen");
  CHECK(count_copies() == 2 && library_copies() == 2);

  CHECK(atexit(begin_exit) == 0);
  library_listen(&others);
  crebind_listen_for_annotations(note, &own);
  // The library stays, and its listener goes on being told.
  CHECK(dlclose(library) == 0);
  for (int i = 1; i <= 2; i++) {
    void *plugin = OPEN(argv[2], RTLD_NOW);
    CHECK(own.loads == i && others.loads == i);
    if (i == 2) break;
    CHECK(dlclose(plugin) == 0);
    CHECK(own.unloads == i && others.unloads == i);
  }
  crebind_listen_for_annotations(NULL, NULL);
  puts("each was told");
}

#endif
