/// A dlopen finds the same image with the notice as without it: by the caller's RUNPATH, RPATH or
/// $ORIGIN, LD_LIBRARY_PATH, the loader's cache, or among loaded images. It fails where it fails
/// without. Each load is made in two processes, with an observer and without.
///
/// The folders `own` and `theirs` are those of the program and of its openers. With -DLIBRARY or
/// -DDEPENDENT a library that is looked for.
///
/// Usage: runpath OPENER...

#if defined LIBRARY
int library_number(void);
int library_number(void) { return 1; }
#elif defined DEPENDENT
int library_number(void);
int dependent_number(void);
int dependent_number(void) { return library_number(); }
#else
#include "steps.h"

static size_t added;
static void count(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  added++;
}

/// The outcome of a load: the path that was found or the error, and the number of images then.
struct result {
  char text[3 * PATH_MAX];
  size_t images;
  bool is_told;
};

static int count_image(struct dl_phdr_info *info, size_t size, void *images) {
  (void)info, (void)size;
  ++*(size_t *)images;
  return 0;
}

static void load(struct result *result, const char *opener, const char *name, const char *before,
                 bool observes) {
  void *(*open_through)(const char *) = FIND(OPEN(opener, RTLD_NOW), "open_through");
  if (before != NULL) OPEN(before, RTLD_NOW);
  const crebind_image_observer observer = {.added = count};
  crebind_observation *observation;
  if (observes) CHECK(crebind_observe(&observer, &observation, NULL) == CREBIND_OK);
  struct link_map *image = open_through(name);
  const char *error = image == NULL ? dlerror() : NULL;
  snprintf(result->text, sizeof result->text, "%s",
           image != NULL ? image->l_name : error != NULL ? error : "nothing");
  dl_iterate_phdr(count_image, &result->images);
  result->is_told = added == result->images;
  if (image != NULL && name != NULL && name[0] != 0 && strchr(name, '/') == NULL) {
    // By the name that it was asked for it is found again, by anyone.
    image = dlopen(name, RTLD_NOW);
    strcat(result->text, ", then ");
    strcat(result->text, image != NULL ? image->l_name : dlerror());
    result->images = 0;
    dl_iterate_phdr(count_image, &result->images);
  }
  if (!observes) return;
  CHECK(crebind_refresh(NULL) == CREBIND_OK && added == result->images);
}

static struct result load_in_child(const char *opener, const char *name, const char *before,
                                   bool observes) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  pid_t child = fork();
  static struct result result;
  memset(&result, 0, sizeof result);
  if (child == 0) {
    load(&result, opener, name, before, observes);
    CHECK(write(ends[1], &result, sizeof result) == sizeof result);
    _exit(0);
  }
  close(ends[1]);
  for (size_t size = 0; size < sizeof result;) {
    ssize_t some = read(ends[0], (char *)&result + size, sizeof result - size);
    CHECK(some > 0);
    size += (size_t)some;
  }
  close(ends[0]);
  WAIT_FOR(child);
  return result;
}

int main(int argc, char *argv[]) {
  char folder[PATH_MAX], loaded[PATH_MAX + 32], unnamed[PATH_MAX + 32], absolute[PATH_MAX + 32];
  snprintf(folder, sizeof folder, "%s", argv[1]);
  *strrchr(folder, '/') = 0;
  snprintf(loaded, sizeof loaded, "%s/own/libloaded.so", folder);
  snprintf(unnamed, sizeof unnamed, "%s/own/unnamed.so", folder);
  snprintf(absolute, sizeof absolute, "%s/own/libown.so", folder);
  const struct {
    const char *name, *before;
  } loads[] = {
      {"libown.so", NULL},
      {"libboth.so", NULL},
      {"libtheirs.so", NULL},
      {"libneeds.so", NULL},
      {"libenvironment.so", NULL},
      {"libBrokenLocale.so.1", NULL},
      {"libnowhere.so", NULL},
      {"libloaded.so", loaded},
      {"unnamed.so", unnamed},
      {"unnamed.so", NULL},
      {"anonymous.so", NULL},
      {absolute, NULL},
      {"$ORIGIN/theirs/libtheirs.so", NULL},
      {"${ORIGIN}/theirs/libneeds.so", NULL},
      {"./$ORIGIN/libtheirs.so", NULL},
      {"libc.so.6", NULL},
      {"", NULL},
      {NULL, NULL},
  };
  size_t unlike = 0, untold = 0;
  for (int opener = 1; opener < argc; opener++)
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
      struct result without = load_in_child(argv[opener], loads[i].name, loads[i].before, false);
      struct result with = load_in_child(argv[opener], loads[i].name, loads[i].before, true);
      untold += !with.is_told;
      if (strcmp(without.text, with.text) == 0 && without.images == with.images) continue;
      unlike++;
      fprintf(stderr, "%s, %s: %s without, %s with\n", argv[opener], loads[i].name, without.text,
              with.text);
    }
  if (unlike == 0) printf("found alike, %zu told by the next call\n", untold);
  return unlike != 0;
}
#endif
