/// Declarations that the files of the preloaded library share.

#if defined(__linux__) && !defined(CREBIND_RUN_RUN_H)
#define CREBIND_RUN_RUN_H

#include "CRebind.h"
#include "CRebindRun.h"
#include "CRebindStubs.h"

/// A stub with our data behind its own words.
typedef struct crebind_run_stub {
  crebind_stub stub;
  /// The image that defines the function, by its ELF header.
  const void *definer;
  /// A bit for each rule that strikes its calls.
  uint64_t rules;
  uint32_t index;
  /// The distance of the function's name.
  uint32_t function;
  /// The index of what is known of the function, and 1; 0 if nothing is.
  uint16_t known;
  /// The place among the arguments of the environment for a new program, and 1; 0 for none.
  uint8_t environment;
  /// A rule names it. Others are those that start programs, or close descriptors.
  bool is_wanted : 1, is_entry_only : 1, is_close : 1;
} crebind_run_stub;

_Static_assert(sizeof(crebind_run_stub) <= CREBIND_STUBS_SIZE, "a stub has no more room");

/// Data of one process. A fork wipes it.
typedef struct crebind_run_process {
  /// Another number when images have gone, so that threads find their calls' places anew; 0 behind a fork.
  uint64_t generation;
  /// The process among all.
  uint32_t number;
} crebind_run_process;

typedef struct crebind_run_thread {
  crebind_run_cell *cells;
  uint64_t mask;
  /// The process's when the cells were filled, or one that no process has.
  uint64_t generation;
  uint32_t *rows;
  /// The cells that are not free.
  uint32_t filled;
  /// The process that the cells are of.
  uint32_t process;
  /// `crebind_run_table.owner`. The child of a vfork counts as the thread whose memory it has.
  uint64_t owner;
  /// A signal handler that finds this set leaves the cells alone.
  uint32_t is_busy;
} crebind_run_thread;

#define CREBIND_RUN_NO_GENERATION 1
#define CREBIND_RUN_FIRST_GENERATION 2

/// In the static TLS block, as the first access to dynamic TLS allocates.
extern __thread crebind_run_thread crebind_run_here __attribute__((tls_model("initial-exec")));
extern crebind_run_process *crebind_run_process_here;
extern char *crebind_run_file;
/// The number of our namespace of processes.
extern uint32_t crebind_run_namespace;

static inline crebind_run_head *crebind_run_shared(void) {
  return (crebind_run_head *)(void *)crebind_run_file;
}

/// Where a key's search begins.
static inline uint64_t crebind_run_hash(uint64_t key) { return key * 0x9e3779b97f4a7c15u >> 32; }

/// The process, which gets a number and a generation if it has none, as behind a fork.
crebind_run_process *crebind_run_enter(void);

/// Gives the first thread its table: later the program may have given up all system calls.
void crebind_run_enter_thread(void);

/// The handler of counted calls.
crebind_stubs_handler crebind_run_count;

/// Counts a call that the thread's table has no cell for. errno stays.
void crebind_run_count_slowly(crebind_run_stub *stub, const void *return_address);
/// Adds a call from an address to the row of a function's name.
void crebind_run_add_from(const void *return_address, uint32_t function);
/// The path of the image that an address lies in; empty for none.
const char *crebind_run_image_at(const void *address);

/// Awaits the end of a call, and counts it if it fails.
void crebind_run_await(crebind_run_stub *stub, const void **return_address);

/// Returns its argument: a call goes there that has its result already.
uint64_t crebind_run_give(uint64_t result);
/// Strikes a call if a rule wants it. The code that the call goes to; NULL for the function.
void *crebind_run_strike(crebind_run_stub *stub, uint64_t *registers, const void *return_address);
/// Forgets which places of code rules apply to: images have gone.
void crebind_run_forget_places(void);

/// Notes crashes, and the descriptors that are open at the end.
void crebind_run_watch(void);
/// Calls a function that closes a descriptor, and notes if that was closed before. Its result.
int crebind_run_watched_close(crebind_run_stub *stub, uint64_t descriptor);
/// Notes where the first call is struck.
void crebind_run_note_strike(const void *return_address);

/// Room in the file, by distance; 0 if the file is full.
uint32_t crebind_run_allocate(uint64_t size);
/// The distance of a name, which is kept once; 0 if the file is full.
uint32_t crebind_run_name(char kind, const char *text);
/// The row of a function that an image calls; -1 if the file is full.
int64_t crebind_run_row_of(uint32_t function, uint32_t image);
/// Adds calls to a row, or to the lost ones.
void crebind_run_add(int64_t row, uint64_t calls);

/// Finds the path of the process's program.
void crebind_run_find_program(void);
/// The path of an image by the one that the loader gives: its main program has none.
const char *crebind_run_path(const char *path);

void crebind_run_read_rules(void);
/// The rule of an index.
crebind_run_rule *crebind_run_rule_at(size_t index);
/// The rules whose patterns name the function, a bit each.
uint64_t crebind_run_rules_of(const crebind_import *import);
/// Whether a text matches a pattern with the shell's wildcards.
bool crebind_run_matches(const char *pattern, const char *text);
/// The knowledge of a function, by its index and 1; 0 if it is not known.
uint16_t crebind_run_known(const char *name);
const crebind_run_function *crebind_run_function_at(uint16_t known);
/// Leaves the reasons of names that the process does not import, once in all processes.
void crebind_run_explain(void);

/// For functions that start programs: `crebind_run_stub.environment`.
uint32_t crebind_run_environment_of(const char *name);
/// Remembers the variables that programs have to be given.
void crebind_run_keep_variables(const char *const *environment);
/// The environment with our variables in it, which lives until the thread asks again.
const char *const *crebind_run_with_variables(const char *const *environment);

#endif
