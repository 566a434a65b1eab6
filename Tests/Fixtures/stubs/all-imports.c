/// Programs do the same when all functions that they and their libraries import are hooked, and the ends of all
/// calls awaited.

#include "check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const commands[] = {
    "bash -c 'for i in 1 2 3; do echo $i | cat; done; echo $((1 + 1)); exit 3'",
    "c++filt _Z3foov _ZNSt6vectorIiSaIiEE9push_backEOi",
    "env",
    "find /etc -maxdepth 1",
    "gcc -O2 -S -x c -o - /dev/null",
    "git --version",
    "grep -rn printf /usr/include/stdio.h",
    "ls -la /usr",
    "make --version",
    "perl -e 'my %h = map { $_ => 1 } 1..1000; print scalar(keys %h); eval { die 7 }; print $@; exit 5'",
    "python3 -c 'import json, re, threading; print(json.dumps(sorted(range(1000)))); exit(4)'",
    "readelf -dW /bin/sh",
    "sed -n 1,5p /etc/passwd",
    "sort -r /etc/passwd",
    "tar cf - /etc/hosts",
};

/// The output of a command and its exit status. The caller frees the text.
static char *output_of(const char *environment, const char *command) {
  char line[4096];
  snprintf(line, sizeof line, "%s %s 2>&1; echo status $?", environment, command);
  FILE *pipe = popen(line, "r");
  CHECK(pipe != NULL);
  size_t size = 0, room = 1 << 20;
  char *text = malloc(room);
  for (size_t count; (count = fread(text + size, 1, room - size - 1, pipe)) > 0; size += count)
    if (room - size < 1 << 16) text = realloc(text, room *= 2);
  text[size] = 0;
  pclose(pipe);
  return text;
}

/// \param arguments The library to preload.
int main(int count, char **arguments) {
  CHECK(count == 2);
  char report[4096], environment[16384];
  snprintf(report, sizeof report, "%s.report", arguments[1]);
  // `env` shows these, so both runs have them.
  snprintf(environment, sizeof environment,
           "LC_ALL=C TORTURE_REPORT=%s LD_PRELOAD=", report);
  char *preloading = strdup(environment);
  preloading = realloc(preloading, sizeof environment);
  strcat(preloading, arguments[1]);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    bool is_env = strcmp(commands[i], "env") == 0;
    const char *command = is_env ? "env | grep -v LD_PRELOAD" : commands[i];
    char *plain = output_of(environment, command);
    remove(report);
    char *hooked = output_of(preloading, command);
    if (strcmp(plain, hooked) != 0) {
      fprintf(stderr, "%s:\n%.2000s\nbut hooked:\n%.2000s\n", command, plain, hooked);
      exit(1);
    }
    FILE *file = fopen(report, "r");
    CHECK(file != NULL);
    long names, ends, without, processes = 0, most = 0;
    while (fscanf(file, "%ld %ld %ld", &names, &ends, &without) == 3) {
      CHECK(names > 20 && ends > 0 && without == 0);
      if (names > most) most = names;
      processes++;
    }
    fclose(file);
    CHECK(processes > 0 && most > 50);
    free(plain);
    free(hooked);
  }
  free(preloading);
  remove(report);
  printf("%zu programs do the same\n", sizeof commands / sizeof *commands);
  return 0;
}
