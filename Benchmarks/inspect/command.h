/// Programs that are run again and again, for their time and their memory.

#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/// How often each is run at most.
enum { MOST_ROUNDS = 101 };

struct command {
  /// For execvp; what it prints goes nowhere.
  char **arguments;
  /// On the first processor alone.
  bool is_on_one_core;
  /// In nanoseconds, a round each.
  double times[MOST_ROUNDS];
  /// The most memory that was resident, in bytes.
  size_t peak;
};

/// A command of these words, the last of which is NULL, and then `files`.
struct command make_command(char *const *words, char *const *files, size_t count);

/// Runs them in turns, so that what slows the machine down slows all of them.
void run_in_turns(struct command *const *commands, size_t count, size_t rounds);

/// The shortest time: what else the machine does only ever adds.
double shortest(const struct command *command, size_t rounds);

#endif
