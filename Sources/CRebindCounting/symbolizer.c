/// Finds the file of an image, and runs a program that knows its names and lines.

#if defined(__linux__)
#define _GNU_SOURCE

#include "CRebindCounting.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static bool write_all(int file, const char *text) {
  for (size_t rest = strlen(text); rest > 0;) {
    ssize_t count = write(file, text, rest);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text += count;
    rest -= (size_t)count;
  }
  return lseek(file, 0, SEEK_SET) == 0;
}

/// The contents of a file; NULL for an empty one.
static char *read_all(int file) {
  off_t size = lseek(file, 0, SEEK_END);
  char *text = size > 0 ? malloc((size_t)size + 1) : NULL;
  if (text == NULL) return NULL;
  ssize_t count = pread(file, text, (size_t)size, 0);
  text[count > 0 ? count : 0] = 0;
  return text;
}

static void run(char *const *words, int source, int sink) {
  // The symbolizer gets nothing of the program's environment: neither a library to preload, nor an
  // address to download debugging information from.
  char language[] = "LC_ALL=C", *environment[] = {language, NULL};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return;
  pid_t process;
  if (posix_spawn_file_actions_adddup2(&actions, source, STDIN_FILENO) == 0
      && posix_spawn_file_actions_adddup2(&actions, sink, STDOUT_FILENO) == 0
      && posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0
      && posix_spawn(&process, words[0], &actions, NULL, words, environment) == 0)
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
  posix_spawn_file_actions_destroy(&actions);
}

bool crebind_counting_is_file_gone(const void *address) {
  static const char mark[] = " (deleted)\n";
  FILE *maps = fopen("/proc/self/maps", "re");
  if (maps == NULL) return false;
  bool is_gone = false, is_found = false;
  char *line = NULL;
  size_t size = 0;
  ssize_t length;
  while (!is_found && (length = getline(&line, &size, maps)) > 0) {
    unsigned long start, end;
    if (sscanf(line, "%lx-%lx", &start, &end) != 2) continue;
    is_found = (uintptr_t)address >= start && (uintptr_t)address < end;
    size_t of_mark = sizeof mark - 1;
    is_gone = is_found && (size_t)length > of_mark
              && strcmp(line + length - of_mark, mark) == 0;
  }
  free(line);
  fclose(maps);
  return is_gone;
}

char *crebind_counting_run_symbolizer(char *const *words, const char *input) {
  // These are memory in place of pipes, so that neither process waits for the other.
  int source = memfd_create("input", MFD_CLOEXEC), sink = memfd_create("output", MFD_CLOEXEC);
  char *output = NULL;
  if (source >= 0 && sink >= 0 && write_all(source, input)) {
    run(words, source, sink);
    output = read_all(sink);
  }
  if (source >= 0) close(source);
  if (sink >= 0) close(sink);
  return output;
}
#endif
