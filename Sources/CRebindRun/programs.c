/// Programs that are started with an environment of their own are counted, too: our variables are put into it. Functions
/// that take `environ`, such as execv, pass them on by themselves.

#if defined(__linux__)
#define _GNU_SOURCE

#include "run.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PRELOAD "LD_PRELOAD="

static const char *file_variable, *library;

uint32_t crebind_run_environment_of(const char *name) {
  static const struct {
    const char *name;
    uint32_t place;
  } functions[] = {
      {"execve", 2},   {"execvpe", 2},     {"fexecve", 2},
      {"execveat", 3}, {"posix_spawn", 5}, {"posix_spawnp", 5},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(functions[i].name, name) == 0) return functions[i].place + 1;
  return 0;
}

void crebind_run_keep_variables(const char *const *environment) {
  static char file[128], path[4096];
  for (; *environment != NULL; environment++) {
    if (strncmp(*environment, CREBIND_RUN_VARIABLE "=", sizeof CREBIND_RUN_VARIABLE) == 0)
      snprintf(file, sizeof file, "%s", *environment);
    // rebind-run puts our path in front.
    if (strncmp(*environment, PRELOAD, strlen(PRELOAD)) == 0)
      snprintf(path, sizeof path, "%.*s", (int)strcspn(*environment + strlen(PRELOAD), ": "),
               *environment + strlen(PRELOAD));
  }
  file_variable = file;
  library = path;
}

const char *const *crebind_run_with_variables(const char *const *environment) {
  static __thread char *memory __attribute__((tls_model("initial-exec")));
  static __thread size_t room __attribute__((tls_model("initial-exec")));
  static const char *const empty[] = {NULL};
  if (environment == NULL) environment = empty;
  const char *others = "";
  bool has_file = false;
  size_t count = 0;
  for (; environment[count] != NULL; count++) {
    if (strcmp(environment[count], file_variable) == 0) has_file = true;
    if (strncmp(environment[count], PRELOAD, strlen(PRELOAD)) == 0)
      others = environment[count] + strlen(PRELOAD);
  }
  if (has_file && strstr(others, library) != NULL) return environment;
  size_t list = (count + 3) * sizeof(char *);
  size_t size = list + strlen(PRELOAD) + strlen(library) + strlen(others) + 2;
  if (size > room) {
    if (memory != NULL) munmap(memory, room);
    room = (size + 0xffff) & ~(size_t)0xffff;
    memory = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      memory = NULL, room = 0;
      return environment;
    }
  }
  const char **own = (const char **)(void *)memory;
  char *preload = memory + list;
  snprintf(preload, size - list, PRELOAD "%s%s%s", library, *others != 0 ? ":" : "", others);
  *own++ = file_variable;
  *own++ = preload;
  for (size_t i = 0; i < count; i++)
    if (strncmp(environment[i], PRELOAD, strlen(PRELOAD)) != 0
        && strncmp(environment[i], CREBIND_RUN_VARIABLE "=", sizeof CREBIND_RUN_VARIABLE) != 0)
      *own++ = environment[i];
  *own = NULL;
  return (const char *const *)(void *)memory;
}
#endif
