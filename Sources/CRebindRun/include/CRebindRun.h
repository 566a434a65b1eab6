/// The file that rebind-run and the processes that it counts have in common. Each process maps the whole file, so
/// nothing is lost however a process ends. rebind-run writes the head, the rules and what is known of functions, and reads the rest at the end.
///
/// Names are kept once each. A row is a function that an image calls, with its calls. Each thread counts in a table
/// of its own, by place of call; the numbers are added to the rows when the table is given up, and at the end.
/// Distances are from the file's first byte. Distance 0 stands for nothing.

#if defined(__linux__) && !defined(CREBIND_RUN_H)
#define CREBIND_RUN_H

#include <stdint.h>

/// The variable of the environment that has the file's path.
#define CREBIND_RUN_VARIABLE "REBIND_RUN"

/// Tells a head of this layout.
#define CREBIND_RUN_MAGIC 0x316e757262657201u

enum {
  /// The file's size. Pages that nobody writes take no memory.
  CREBIND_RUN_SIZE = 0x10000000,
  /// The entries of two hash tables, and where these begin: distances of names, and rows.
  CREBIND_RUN_NAMES = 0x20000,
  CREBIND_RUN_ROWS = 0x40000,
  CREBIND_RUN_NAMES_AT = 0x1000,
  CREBIND_RUN_ROWS_AT = CREBIND_RUN_NAMES_AT + CREBIND_RUN_NAMES * 4,
  /// Everything else is put behind the tables, one after the other.
  CREBIND_RUN_REST_AT = CREBIND_RUN_ROWS_AT + CREBIND_RUN_ROWS * 16,
  /// The most rules: a stub has a bit for each.
  CREBIND_RUN_RULES = 64,
};

/// The work of the processes, in `crebind_run_head.tasks`.
enum {
  CREBIND_RUN_COUNTS = 1,
  /// Await the ends of calls, and count those that fail by their errors.
  CREBIND_RUN_AWAITS = 2,
  /// Note the place of the first call that is struck, crashes, descriptors that are closed twice, and those that are
  /// open at the end.
  CREBIND_RUN_WATCHES = 4,
};

typedef struct crebind_run_head {
  uint64_t magic;
  /// The distance of the first byte that is not given away.
  uint64_t used;
  /// Calls that could not be counted, as there was no room for their row.
  uint64_t lost_calls;
  /// Calls whose ends were not awaited, as too many were pending.
  uint64_t unseen_ends;
  /// Calls of close that failed with EBADF.
  uint64_t bad_closes;
  uint32_t tasks;
  /// Functions that were not hooked, as a process had used all stubs.
  uint32_t unhooked_functions;
  /// The processes that have called something, each exec for itself.
  uint32_t processes;
  /// The table that was made last.
  uint32_t last_table;
  /// The rules, one behind the other, and their number.
  uint32_t rules, rule_count;
  /// The same of what is known of functions.
  uint32_t functions, function_count;
  /// A process where the hooks could not be applied: the distance of the reason.
  uint32_t failure;
  /// Texts, by distance: the frames of the first call that was struck, and those of the first crash. A frame's line has
  /// the path of the image, a tab, the offset in it, a tab, and the function.
  uint32_t strike, crash;
  /// The signal of the crash.
  uint32_t signal;
  /// The descriptors that are open when the first process exits: a line each, with the number and, behind a
  /// space, where it leads.
  uint32_t open_at_end;
  /// The first process's number.
  int32_t first_process;
  /// The first process ignores SIGCHLD, as rebind-run did before it had to see the end.
  uint32_t ignores_children;
} crebind_run_head;

enum {
  /// The call returns as a failing one does.
  CREBIND_RUN_FAILS,
  /// The call returns `crebind_run_rule.result`.
  CREBIND_RUN_RETURNS,
  /// The call goes on with at most `crebind_run_rule.result` bytes or items.
  CREBIND_RUN_LIMITS,
  /// The call goes on.
  CREBIND_RUN_GOES_ON,
};

/// A pattern, and what becomes of calls that it matches.
typedef struct crebind_run_rule {
  /// Zero-terminated, as the user wrote it.
  uint32_t text;
  /// The functions that it has matched, in all processes, and those among them that cannot be struck: no failure
  /// of theirs is known, or they have no such argument.
  uint32_t matches, unusable;
  /// Why it matched nothing in the first process: 0, 1 as long as that is being found out, or a text.
  uint32_t reason;
  /// Patterns, by distance, of the calling image and of the path that is an argument; 0 for all.
  uint32_t images, path;
  uint32_t effect;
  /// The value that `errno` gets, or the code that is returned; 0 for the usual one.
  int32_t error;
  int64_t result;
  /// How long a call waits first, in nanoseconds.
  uint64_t delay;
  /// The calls that are struck, by their number from 1 on: `first`, and every `every`th up to `last`.
  uint64_t first, last, every;
  /// The calls so far that the conditions hold for, and those that were struck.
  uint64_t met, struck;
} crebind_run_rule;

/// Knowledge of a function.
typedef struct crebind_run_function {
  uint32_t name;
  /// Its usual error; 0 for none.
  int32_t error;
  int64_t result;
  /// It returns the error, and leaves `errno` alone.
  uint8_t returns_error;
  /// It closes what it is given even if it fails.
  uint8_t closes;
  /// It returns a pointer, which is NULL if it fails.
  uint8_t is_null;
  /// The indices of arguments; -1 for none.
  int8_t stream, count, path;
  /// It writes to the descriptor that is its first argument.
  uint8_t writes;
  uint8_t is_fcntl;
} crebind_run_function;

/// A name begins with its kind. For a function, its name, version and defining image follow, each behind a line feed.
/// A failure adds a line feed and the error's number. The name of an image is its path; an empty path stands for code
/// that is in no image.
enum { CREBIND_RUN_FUNCTION = 'f', CREBIND_RUN_IMAGE = 'i' };

typedef struct crebind_run_row {
  /// The distances of the names of the function, in the upper half, and of the calling image.
  uint64_t names;
  /// Without what stands in tables.
  uint64_t calls;
} crebind_run_row;

typedef struct crebind_run_cell {
  /// The return address, shifted by 16 bits, and the number of the stub; 0 is free.
  uint64_t key;
  uint64_t calls;
} crebind_run_cell;

/// A thread's table. Its cells follow it; then the row number of each cell, in 32 bits.
typedef struct crebind_run_table {
  /// The thread's number, and in the upper half that of its namespace of processes; 0 for none.
  uint64_t owner;
  /// The table that was made before.
  uint32_t next;
  /// A power of two.
  uint32_t cells;
  /// The owner's `crebind_run_process.generation` when it began to fill the cells.
  uint64_t generation, unused;
} crebind_run_table;

#endif
