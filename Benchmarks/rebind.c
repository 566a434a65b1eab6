/// Measures the core on the libraries of this machine, beside one scan of all
/// relocations and beside fishhook's loop. See Documentation/Performance.md.

#define _GNU_SOURCE
#include "calls.h"
#include "cases.h"
#include "measure.h"

#include <glob.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_REPETITIONS = 99 };

static void usage(int status) {
  fputs("usage: rebind-benchmark [-n REPETITIONS] [-i IMAGES] [FOLDER...]\n", stderr);
  exit(status);
}

// MARK: - Folders

/// Where libraries are looked for if no folder is given; patterns of glob(3). Folders with many
/// relocations stand first.
static const char *const folders[] = {
    "/usr/lib/llvm*/lib", "/usr/lib/jvm/*/lib/server", "/usr/lib/*-linux-gnu*",
    "/usr/lib64",         "/usr/lib",
};

/// The folder of the libraries of the Swift toolchain in PATH.
static void find_toolchain(glob_t *found) {
  char *path = strdup(getenv("PATH") != NULL ? getenv("PATH") : "");
  for (char *next = path, *folder; (folder = strsep(&next, ":")) != NULL;) {
    char name[4096], *real;
    snprintf(name, sizeof name, "%s/swift", folder);
    if (access(name, X_OK) != 0 || (real = realpath(name, NULL)) == NULL) continue;
    snprintf(name, sizeof name, "%s/../lib", dirname(real));
    glob(name, GLOB_APPEND, NULL, found);
    strcat(name, "/swift/linux");
    glob(name, GLOB_APPEND, NULL, found);
    free(real);
    break;
  }
  free(path);
}

static struct libraries default_libraries(void) {
  glob_t found = {.gl_pathc = 0};
  glob("/nonexistent", 0, NULL, &found);  // the others append
  find_toolchain(&found);
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    glob(folders[i], GLOB_APPEND, NULL, &found);
  struct libraries libraries =
      find_libraries((const char *const *)found.gl_pathv, found.gl_pathc);
  globfree(&found);
  return libraries;
}

// MARK: - Cases

enum column { SCAN, FIRST, AGAIN, RESTORE_AGAIN, RESTORE, RESTORE_BELOW, COLUMN_COUNT };

/// The medians of the repetitions: of the times, and of their ratios to the scan
/// in the same process.
struct result {
  struct sample last;
  double times[COLUMN_COUNT], ratios[COLUMN_COUNT];
};

static struct result repeat(enum case_kind kind, size_t name_count, int repetitions,
                            const struct libraries *libraries, size_t image_limit) {
  double times[COLUMN_COUNT][MAX_REPETITIONS], ratios[COLUMN_COUNT][MAX_REPETITIONS];
  struct result result;
  for (int i = 0; i < repetitions; i++) {
    struct sample sample = measure_case(kind, name_count, libraries, image_limit);
    if (!sample.is_valid) {
      fprintf(stderr, "rebind-benchmark: a case with %zu names failed\n", name_count);
      exit(1);
    }
    const double columns[COLUMN_COUNT] = {
        [SCAN] = sample.scan,
        [FIRST] = sample.first,
        [AGAIN] = sample.again,
        [RESTORE_AGAIN] = sample.restore_again,
        [RESTORE] = sample.restore,
        [RESTORE_BELOW] = sample.restore_below,
    };
    for (int c = 0; c < COLUMN_COUNT; c++) {
      times[c][i] = columns[c];
      ratios[c][i] = columns[c] / sample.scan;
    }
    result.last = sample;
  }
  for (int c = 0; c < COLUMN_COUNT; c++) {
    result.times[c] = median(times[c], (size_t)repetitions);
    result.ratios[c] = median(ratios[c], (size_t)repetitions);
  }
  return result;
}

// MARK: - Table

/// \param fishhook The time of fishhook's loop beside it, or 0.
static void print_row(const char *label, size_t name_count, const struct result *result,
                      enum column column, double fishhook) {
  char names[24] = "";
  if (name_count != 0) snprintf(names, sizeof names, "%zu", name_count);
  double time = result->times[column];
  printf("%-24s %5s %9.3f %9.2f", label, names, time / 1e6, result->ratios[column]);
  if (fishhook != 0) printf(" %13.1f", fishhook / time);
  putchar('\n');
}

static void print_calls(void) {
  struct call_times calls = measure_calls();
  printf("\n%-36s %8s %11s\n", "call", "ns", "/ unhooked");
  printf("%-36s %8.2f %11.2f\n", "unhooked, through the PLT", calls.unhooked, 1.0);
  printf("%-36s %8.2f %11.2f\n", "the replacement itself", calls.replacement,
         calls.replacement / calls.unhooked);
  printf("%-36s %8.2f %11.2f\n", "replacement that returns at once", calls.replaced,
         calls.replaced / calls.unhooked);
  printf("%-36s %8.2f %11.2f\n", "replacement that calls the original", calls.passed_on,
         calls.passed_on / calls.unhooked);
}

int main(int argc, char **argv) {
  int repetitions = 7;
  size_t image_limit = 340;
  for (int option; (option = getopt(argc, argv, "n:i:h")) != -1;) {
    switch (option) {
    case 'n': repetitions = atoi(optarg); break;
    case 'i': image_limit = strtoul(optarg, NULL, 10); break;
    case 'h': usage(0); break;
    default: usage(64);
    }
  }
  if (repetitions < 1 || repetitions > MAX_REPETITIONS || image_limit == 0) usage(64);
  setvbuf(stdout, NULL, _IOLBF, 0);

  struct libraries libraries =
      optind < argc ? find_libraries((const char *const *)argv + optind, (size_t)(argc - optind))
                    : default_libraries();
  try_libraries(&libraries, image_limit);

  static const size_t name_counts[] = {1, 10, 100};
  enum { STEPS = sizeof name_counts / sizeof *name_counts };
  struct result fishhook[STEPS], rebind[STEPS];
  for (int i = 0; i < STEPS; i++) {
    fishhook[i] = repeat(CASE_FISHHOOK, name_counts[i], repetitions, &libraries, image_limit);
    rebind[i] = repeat(CASE_REBIND, name_counts[i], repetitions, &libraries, image_limit);
  }
  struct sample memory =
      repeat(CASE_MEMORY, name_counts[STEPS - 1], 1, &libraries, image_limit).last;

  const struct census *census = &memory.census;
  printf("%zu images, %zu relocations, %zu of them relative; medians of %d processes\n\n",
         census->images, census->relocations, census->relative, repetitions);
  printf("%-24s %5s %9s %9s %13s\n", "", "names", "ms", "/ scan", "fishhook's /");
  print_row("scan of every r_info", 0, &rebind[STEPS - 1], SCAN, 0);
  for (int i = 0; i < STEPS; i++)
    print_row("fishhook's loop", name_counts[i], &fishhook[i], FIRST, 0);
  static const char *const labels[COLUMN_COUNT] = {
      [FIRST] = "apply, first call",
      [AGAIN] = "apply others on top",
      [RESTORE_AGAIN] = "restore these",
      [RESTORE] = "restore the first",
      [RESTORE_BELOW] = "restore below others",
  };
  for (int column = FIRST; column < COLUMN_COUNT; column++)
    for (int i = 0; i < STEPS; i++)
      print_row(labels[column], name_counts[i], &rebind[i], (enum column)column,
                fishhook[i].times[FIRST]);

  putchar('\n');
  for (int i = 0; i < STEPS; i++)
    printf("%zu name%s: %zu slots in %zu images (fishhook's loop: %zu)\n", name_counts[i],
           name_counts[i] == 1 ? "" : "s", rebind[i].last.slots, rebind[i].last.patched_images,
           fishhook[i].last.slots);
  printf("peak extra memory of the first call with %zu names: %.2f MB mapped, %.2f MB resident\n",
         name_counts[STEPS - 1], (double)memory.peak_mapped / 1e6,
         (double)memory.peak_resident / 1e6);
  print_calls();
  return 0;
}
