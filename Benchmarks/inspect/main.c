/// Measures rebind-inspect beside the least possible work and beside others' tools.
///
/// Usage: inspect PROGRAM FLOORS [FOLDER...]: rebind-inspect, the folder of symbols-floor and
/// slots-floor, and where to look for files.

#define _GNU_SOURCE
#include "command.h"
#include "files.h"

#include <gnu/lib-names.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 1800, MEBIBYTE = 1 << 20 };

static char *program, *floors;
static bool holds_all = true;

// MARK: - The table

static void print_row(const char *what, const char *wanted, double measured, const char *unit,
                      bool holds) {
  printf("%-58s %8s %8.2f %-3s  %s\n", what, wanted, measured, unit, holds ? "yes" : "NO");
  fflush(stdout);
  holds_all &= holds;
}

static void print_at_most(const char *what, double limit, double measured, const char *unit) {
  char wanted[32];
  snprintf(wanted, sizeof wanted, "<= %.4g", limit);
  print_row(what, wanted, measured, unit, measured <= limit);
}

static void print_at_least(const char *what, double limit, double measured) {
  char wanted[32];
  snprintf(wanted, sizeof wanted, ">= %.4g", limit);
  print_row(what, wanted, measured, "", measured >= limit);
}

// MARK: - Measuring

#define COMMAND(files, count, ...) make_command((char *[]){__VA_ARGS__, NULL}, files, count)

static char *floor_of(const char *subcommand) {
  char *path;
  if (asprintf(&path, "%s/%s-floor", floors, subcommand) < 0) abort();
  return path;
}

/// The first one's time by the second one's.
static double ratio(struct command *one, struct command *other, size_t rounds) {
  struct command *const commands[] = {one, other};
  run_in_turns(commands, 2, rounds);
  return shortest(one, rounds) / shortest(other, rounds);
}

/// A sum over what a program prints of a file.
static char *sum(const char *words, const char *file) {
  char *line, *text = calloc(1, 64);
  if (text == NULL || asprintf(&line, "%s '%s' | cksum", words, file) < 0) abort();
  FILE *output = popen(line, "r");
  if (output == NULL || fgets(text, 64, output) == NULL) abort();
  pclose(output);
  free(line);
  return text;
}

/// Else they did not do the same work.
static void check_output(const char *subcommand, const char *file) {
  char *ours, *floors;
  if (asprintf(&ours, "'%s' %s", program, subcommand) < 0
      || asprintf(&floors, "'%s'", floor_of(subcommand)) < 0)
    abort();
  if (strcmp(sum(ours, file), sum(floors, file)) != 0)
    printf("The floor of %s prints something else.\n", subcommand);
}

static void measure_large(char *subcommand, const struct largest *file) {
  char what[80];
  check_output(subcommand, file->path);
  struct command ours = COMMAND(&file->path, 1, program, subcommand);
  struct command floor = COMMAND(&file->path, 1, floor_of(subcommand));
  snprintf(what, sizeof what, "%s, largest file / floor", subcommand);
  print_at_most(what, 2, ratio(&ours, &floor, 51), "");
  snprintf(what, sizeof what, "%s, largest file: peak memory", subcommand);
  print_at_most(what, 20, (double)ours.peak / MEBIBYTE, "MiB");
}

static void measure_tables(char *subcommand, const struct largest *file) {
  char what[80];
  struct command text = COMMAND(&file->path, 1, program, subcommand);
  struct command rows = COMMAND(&file->path, 1, program, subcommand, "--format", "rows");
  struct command csv = COMMAND(&file->path, 1, program, subcommand, "--format", "csv");
  struct command *const commands[] = {&text, &rows, &csv};
  run_in_turns(commands, 3, 51);
  snprintf(what, sizeof what, "%s, largest file: rows / text", subcommand);
  print_at_most(what, 1.5, shortest(&rows, 51) / shortest(&text, 51), "");
  snprintf(what, sizeof what, "%s, largest file: csv / text", subcommand);
  print_at_most(what, 1.2, shortest(&csv, 51) / shortest(&text, 51), "");
}

static void measure_many(char *subcommand, const struct files *files) {
  char what[80];
  struct command ours = COMMAND(files->paths, files->count, program, subcommand);
  struct command floor = COMMAND(files->paths, files->count, floor_of(subcommand));
  struct command both = COMMAND(files->paths, files->count, program, subcommand);
  ours.is_on_one_core = floor.is_on_one_core = true;
  struct command *const commands[] = {&ours, &floor, &both};
  run_in_turns(commands, 3, 7);
  snprintf(what, sizeof what, "%s, %zu files, on one core / floor", subcommand, files->count);
  print_at_most(what, 2, shortest(&ours, 7) / shortest(&floor, 7), "");
  snprintf(what, sizeof what, "%s, %zu files, on all cores / on one", subcommand, files->count);
  print_at_most(what, 1, shortest(&both, 7) / shortest(&ours, 7), "");
}

static void measure_readelf(const struct largest *file) {
  struct command ours = COMMAND(&file->path, 1, program, "symbols");
  struct command theirs = COMMAND(&file->path, 1, "eu-readelf", "--symbols=.dynsym", "--wide");
  print_at_least("eu-readelf / symbols, largest file", 1.5, 1 / ratio(&ours, &theirs, 11));
}

static int find_libc(struct dl_phdr_info *image, size_t size, void *path) {
  (void)size;
  if (strstr(image->dlpi_name, "/" LIBC_SO) == NULL) return 0;
  *(char **)path = strdup(image->dlpi_name);
  return 1;
}

static void measure_libc(void) {
  char *path = NULL;
  dl_iterate_phdr(find_libc, &path);
  if (path == NULL) return;
  struct command ours = COMMAND(&path, 1, program, "symbols");
  struct command theirs = COMMAND(&path, 1, "eu-readelf", "--symbols=.dynsym", "--wide");
  print_at_most("symbols, libc / eu-readelf's", 1.5, ratio(&ours, &theirs, 51), "");
}

static void measure_start(void) {
  struct command ours = COMMAND(NULL, 0, program, "--version");
  struct command theirs = COMMAND(NULL, 0, "readelf", "--version");
  print_at_most("start-up / readelf's", 2.5, ratio(&ours, &theirs, 101), "");
}

/// Is there a subcommand of this name?
static bool knows(const char *subcommand) {
  char *line;
  if (asprintf(&line, "'%s' --help | grep -q '^  %s '", program, subcommand) < 0) abort();
  bool is_known = system(line) == 0;
  free(line);
  return is_known;
}

static void measure_importers(const struct files *files) {
  if (!knows("who-imports")) {
    puts("rebind-inspect has no who-imports: not compared with nm -D | awk");
    return;
  }
  char *line = "nm -D -A \"$@\" | awk '$(NF - 1) == \"U\" && $NF ~ /^malloc(@|$)/ { print $1 }'";
  char what[80];
  struct command ours = COMMAND(files->paths, files->count, program, "who-imports", "malloc");
  struct command theirs = COMMAND(files->paths, files->count, "sh", "-c", line, "sh");
  snprintf(what, sizeof what, "nm -D | awk / who-imports malloc, %zu files", files->count);
  print_at_least(what, 4, 1 / ratio(&ours, &theirs, 5));
}

static void measure_requirements(const struct files *files) {
  char what[80];
  struct command ours = COMMAND(files->paths, files->count, program, "requires");
  struct command imports = COMMAND(files->paths, files->count, program, "symbols", "--imports");
  snprintf(what, sizeof what, "requires / symbols --imports, %zu files", files->count);
  print_at_most(what, 2, ratio(&ours, &imports, 7), "");
}

// MARK: - All of it

int main(int argc, char *argv[]) {
  if (argc < 3) return 64;
  program = argv[1];
  floors = argv[2];
  char *folders[] = {"/usr/lib", "/usr/bin", "/opt", "/usr/libexec", NULL};
  struct files files = find_files(argc > 3 ? argv + 3 : folders, FILES);
  if (files.slots.path == NULL) {
    fputs("no ELF files were found\n", stderr);
    return 1;
  }
  // A machine with fewer: some of them again.
  size_t found = files.count;
  for (; files.count < FILES; files.count++) files.paths[files.count] = files.paths[files.count % found];
  printf("%zu files. The largest ones: %s, %zu symbols; %s, %zu slots.\n\n", found,
         files.symbols.path, files.symbols.count, files.slots.path, files.slots.count);
  printf("%-58s %8s %8s %-3s  %s\n", "", "wanted", "measured", "", "holds");
  measure_large("symbols", &files.symbols);
  measure_readelf(&files.symbols);
  measure_libc();
  measure_large("slots", &files.slots);
  measure_tables("symbols", &files.symbols);
  measure_tables("slots", &files.slots);
  measure_many("symbols", &files);
  measure_many("slots", &files);
  measure_start();
  measure_importers(&files);
  measure_requirements(&files);
  return holds_all ? 0 : 1;
}
