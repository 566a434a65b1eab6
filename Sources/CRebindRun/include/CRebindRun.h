/// The file that rebind-run and the processes that it counts have in common. Each process maps the whole file, so
/// nothing is lost however a process ends. rebind-run writes the head and the patterns, and reads the rest at the end.
///
/// Names are kept once each. A row is a function that an image calls, with its calls. Each thread counts in a table
/// of its own, by place of call; the numbers are added to the rows when the table is given up, and at the end.
/// Distances are from the file's first byte. Distance 0 stands for nothing.

#ifndef CREBIND_RUN_H
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
  /// The most patterns that are read.
  CREBIND_RUN_PATTERNS = 64,
};

typedef struct crebind_run_head {
  uint64_t magic;
  /// The distance of the first byte that is not given away.
  uint64_t used;
  /// Calls that could not be counted, as there was no room for their row.
  uint64_t lost_calls;
  /// Functions that were not hooked, as a process had used all stubs.
  uint32_t unhooked_functions;
  /// The processes that have called something, each exec for itself.
  uint32_t processes;
  /// The table that was made last.
  uint32_t last_table;
  /// The patterns, one behind the other, and their number.
  uint32_t patterns, pattern_count;
  /// A process where the hooks could not be applied: the distance of the reason.
  uint32_t failure;
} crebind_run_head;

typedef struct crebind_run_pattern {
  /// Zero-terminated, as the user wrote it.
  uint32_t text;
  /// The functions that it has matched, in all processes.
  uint32_t matches;
  /// Why it matched nothing in the first process: 0, 1 as long as that is being found out, or a text.
  uint32_t reason;
} crebind_run_pattern;

/// A name begins with its kind. That of a function has its name, version and defining image, each behind a line feed.
/// That of an image is its path; an empty path stands for code that is in no image.
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

/// A thread's table. Its cells lie behind it, and behind these the number of the row of each, in 32 bits.
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
