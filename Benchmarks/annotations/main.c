/// Measures a visit of 1,000 annotations of 100 images, beside a bare walk over the images.
///
/// Usage: annotations PLUGIN COUNT: with COUNT copies of the plug-in, named PLUGIN.0 and
/// so on.

#define _GNU_SOURCE
#include "../measure.h"
#include "CRebind.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 501 };

static int walk(struct dl_phdr_info *info, size_t size, void *count) {
  (void)info, (void)size;
  ++*(size_t *)count;
  return 0;
}

static void visit(const crebind_annotation *annotation, void *count) {
  *(size_t *)count += annotation->record.fault == CREBIND_RECORD_VALID;
}

static size_t walk_images(void) {
  size_t count = 0;
  dl_iterate_phdr(walk, &count);
  return count;
}

static size_t visit_all(const char *group) {
  size_t count = 0;
  crebind_annotations(group, visit, &count, NULL);
  return count;
}

static size_t visit_every(void) { return visit_all(NULL); }
static size_t visit_group(void) { return visit_all("routes"); }
static size_t read_generation(void) { return crebind_annotations_generation() != 0; }

static void report(const char *what, size_t (*run)(void)) {
  static double times[ROUNDS];
  size_t count = 0;
  double start = now();
  run();
  double first = now() - start;
  for (size_t i = 0; i < ROUNDS; i++) {
    start = now();
    count = run();
    times[i] = now() - start;
  }
  printf("%-34s %6zu %11.1f us %11.1f us\n", what, count, first / 1e3,
         median(times, ROUNDS) / 1e3);
}

int main(int argc, char *argv[]) {
  if (argc != 3) return 64;
  for (int i = 0; i < atoi(argv[2]); i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", argv[1], i);
    if (dlopen(path, RTLD_NOW) == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  printf("%-34s %6s %14s %14s\n", "", "found", "first", "then, median");
  report("images, by dl_iterate_phdr", walk_images);
  report("annotations", visit_every);
  report("annotations of one group", visit_group);
  report("generation", read_generation);
}
