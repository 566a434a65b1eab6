#define _GNU_SOURCE
#include "command.h"
#include "../measure.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct command make_command(char *const *words, char *const *files, size_t count) {
  size_t length = 0;
  while (words[length] != NULL) length++;
  struct command command = {.arguments = calloc(length + count + 1, sizeof *words)};
  if (command.arguments == NULL) abort();
  memcpy(command.arguments, words, length * sizeof *words);
  if (count != 0) memcpy(command.arguments + length, files, count * sizeof *files);
  return command;
}

static void become(const struct command *command) {
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  if (command->is_on_one_core) sched_setaffinity(0, sizeof first, &first);
  int nowhere = open("/dev/null", O_RDWR);
  for (int i = 0; i < 3; i++) dup2(nowhere, i);
  execvp(command->arguments[0], command->arguments);
  _exit(127);
}

static void run_once(struct command *command, size_t round) {
  int status;
  struct rusage usage;
  double start = now();
  // The parent's memory would count as the child's.
  pid_t child = vfork();
  if (child == 0) become(command);
  if (child < 0 || wait4(child, &status, 0, &usage) != child) abort();
  command->times[round] = now() - start;
  if (WIFSIGNALED(status) || WEXITSTATUS(status) >= 64) {
    fprintf(stderr, "%s failed\n", command->arguments[0]);
    exit(1);
  }
  size_t peak = (size_t)usage.ru_maxrss * 1024;
  if (peak > command->peak) command->peak = peak;
}

void run_in_turns(struct command *const *commands, size_t count, size_t rounds) {
  if (rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
  // Files are read, and pages found, before the first round counts.
  for (size_t i = 0; i < count; i++) run_once(commands[i], 0);
  for (size_t round = 0; round < rounds; round++)
    for (size_t i = 0; i < count; i++) run_once(commands[i], round);
}

double shortest(const struct command *command, size_t rounds) {
  double time = command->times[0];
  for (size_t i = 1; i < rounds && i < MOST_ROUNDS; i++)
    if (command->times[i] < time) time = command->times[i];
  return time;
}
