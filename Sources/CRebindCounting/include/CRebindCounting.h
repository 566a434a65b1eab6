/// Counts the calls of malloc and its kind, and of the functions of Swift's runtime that allocate
/// objects, count references and check accesses.
///
/// Slots lead to *counters*: functions that note a call and go on to the original. A counter takes
/// no lock and allocates nothing. Each thread has numbers of its own, which stay when it ends.
/// A *scope* is the time from a begin to an end, and tells what came meanwhile.

#if defined(__linux__) && !defined(CREBIND_COUNTING_H)
#define CREBIND_COUNTING_H

#include "CRebindCountedFunctions.h"

#include <CRebindSites.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#else
#define _Nullable
#define _Nonnull
#endif

// MARK: - Functions

#define CREBIND_COUNTING_CONSTANT(constant, group, total, symbol) CREBIND_COUNTING_##constant,

/// The functions that can be counted: see `CREBIND_COUNTED_FUNCTIONS`.
typedef enum crebind_counting_function {
  CREBIND_COUNTED_FUNCTIONS(CREBIND_COUNTING_CONSTANT) CREBIND_COUNTING_FUNCTION_COUNT,
} crebind_counting_function;

#undef CREBIND_COUNTING_CONSTANT

/// The functions that are counted together.
typedef enum crebind_counting_group {
  /// malloc to free.
  CREBIND_COUNTING_MEMORY,
  /// swift_retain to swift_unknownObjectRelease_n.
  CREBIND_COUNTING_REFERENCES,
  /// swift_allocObject.
  CREBIND_COUNTING_OBJECTS,
  /// swift_beginAccess.
  CREBIND_COUNTING_ACCESSES,
  /// mmap to munmap. The C library's own calls of mmap, as inside malloc and for the stacks of threads,
  /// go through no slot: they are not counted.
  CREBIND_COUNTING_MAPPINGS,
  CREBIND_COUNTING_GROUP_COUNT,
} crebind_counting_group;

/// The totals that calls are added up to. A group has one or more.
typedef enum crebind_counting_total {
  CREBIND_COUNTING_TOTAL_ALLOCATIONS,
  CREBIND_COUNTING_TOTAL_FREES,
  CREBIND_COUNTING_TOTAL_RETAINS,
  CREBIND_COUNTING_TOTAL_RELEASES,
  CREBIND_COUNTING_TOTAL_OBJECTS,
  CREBIND_COUNTING_TOTAL_ACCESSES,
  CREBIND_COUNTING_TOTAL_MAPPINGS,
  CREBIND_COUNTING_TOTAL_REMAPPINGS,
  CREBIND_COUNTING_TOTAL_UNMAPPINGS,
} crebind_counting_total;

/// The name of a function's symbol.
const char *crebind_counting_name(crebind_counting_function function);

/// A function's group.
crebind_counting_group crebind_counting_group_of(crebind_counting_function function);

/// The total that a function's calls go into.
crebind_counting_total crebind_counting_total_of(crebind_counting_function function);

/// Whether the function is the first of its total, so that the total is missing if the function is
/// not counted. The calls of mremap are no number of their own, so nothing depends on mremap.
bool crebind_counting_is_principal(crebind_counting_function function);

// MARK: - Counters in place

/// The longest reason, with its zero byte.
#define CREBIND_COUNTING_REASON_SIZE 512

/// Points the slots of a group's functions at their counters, unless they still lead there. Such
/// calls nest, over all threads.
///
/// A function that cannot be counted stays as it is, and has a reason; the others are counted.
///
/// \returns 0, or a `crebind_status` that is no such reason. In that case nothing has changed.
int crebind_counting_install(crebind_counting_group group);

/// Ends what `crebind_counting_install` began. The slots stay as they are. So the next installation
/// costs little, and a counter that nobody uses does no harm.
void crebind_counting_uninstall(crebind_counting_group group);

/// Why a function of an installed group is not counted; false if it is.
///
/// \param reason Receives an English sentence without a full stop, in
///   `CREBIND_COUNTING_REASON_SIZE` bytes.
bool crebind_counting_absence(crebind_counting_function function, char *reason);

/// Whether some image refers to the function, or defines it. Otherwise nothing in the process can
/// call it.
bool crebind_counting_is_known(crebind_counting_function function);

/// Why the sizes of blocks, as malloc_usable_size gives them, are not known; false if they are.
bool crebind_counting_size_absence(char *reason);

// MARK: - Counts

/// Counts of calls, and of memory.
typedef struct crebind_counting_counts {
  /// The calls of each function, without those of free(NULL). Calls that malloc and its kind make to
  /// each other are not counted. Nor are calls that a hook of RebindTesting answers itself.
  uint64_t calls[CREBIND_COUNTING_FUNCTION_COUNT];
  /// The calls of malloc and its kind that returned no block.
  uint64_t without_block;
  /// The blocks that realloc and reallocarray have freed, or grown in place.
  uint64_t replaced;
  /// The bytes that malloc and its kind were asked for.
  uint64_t bytes;
  /// The calls of mmap that mapped nothing.
  uint64_t without_mapping;
  /// The bytes that mmap and mremap were asked for.
  uint64_t mapped_bytes;
  /// How many more bytes are in blocks than at the beginning, and the most at any time meanwhile, by
  /// malloc_usable_size. Negative if blocks were freed that were older. A scope of a task has the bytes that
  /// its calls were given and that no thread has freed. It leaves out blocks that the runtime of tasks or
  /// queues asked for itself: these may be kept, or freed at any time.
  int64_t live, peak;
} crebind_counting_counts;

// MARK: - Scopes

/// Whose calls a scope counts.
typedef enum crebind_counting_reach {
  /// The calls of the task whose task-local value leads to the scope, and of the tasks that it
  /// starts. See `crebind_counting_set_task_key`.
  CREBIND_COUNTING_TASK,
  /// The calls of the thread that begins the scope. The same thread ends its scopes, the youngest
  /// first.
  CREBIND_COUNTING_THREAD,
  CREBIND_COUNTING_PROCESS,
} crebind_counting_reach;

typedef struct crebind_counting_scope crebind_counting_scope;

/// A scope that has not begun; NULL if memory runs out.
crebind_counting_scope *_Nullable crebind_counting_make(crebind_counting_reach reach);

/// Has a scope tell its calls apart by the images that make them. Call this before the scope begins.
/// It looks at the images that are loaded.
///
/// \param spares_testing Leaves calls alone that the testing libraries make, themselves or by Swift's runtime.
///   A call by the runtime then costs about a microsecond more.
/// \returns false if memory runs out.
bool crebind_counting_watch_images(crebind_counting_scope *scope, bool spares_testing);

/// The calls of each function that an image made in a scope that watches images.
///
/// \param index From 0.
/// \param calls Receives `CREBIND_COUNTING_FUNCTION_COUNT` numbers.
/// \returns The image's path, which lasts as long as the scope: "" for the program, NULL if no image is
///   left. The last path, `CREBIND_COUNTING_ELSEWHERE`, stands for images that were loaded later, and for
///   code that is in no image. It also has the calls of images that another one may have replaced.
const char *_Nullable crebind_counting_image(const crebind_counting_scope *scope, size_t index,
                                             uint64_t *calls);

/// The name of calls whose image is not known.
#define CREBIND_COUNTING_ELSEWHERE "[elsewhere]"

/// Has a scope keep the addresses of blocks that its calls are given, until any thread frees them. To be
/// called before it begins. A scope of a task does so in any case, as its blocks may be freed on threads
/// without the task. The end then waits, for a tenth of a second at most, for blocks that are about to be
/// freed. Blocks that the runtime of tasks and of queues asks for itself are left out: it keeps some for later.
///
/// \returns false if memory runs out.
bool crebind_counting_watch_leaks(crebind_counting_scope *scope);

/// Whether a scope has to keep the addresses of blocks: one of a task, and one that watches leaks.
bool crebind_counting_keeps_blocks(const crebind_counting_scope *scope);

/// The blocks of such a scope that nobody has freed; -1 for another scope, and if there were too many, or
/// no memory for their addresses.
int64_t crebind_counting_kept_blocks(const crebind_counting_scope *scope);

/// The same, but -1 for a scope that does not watch leaks.
int64_t crebind_counting_leaked_blocks(const crebind_counting_scope *scope);

/// Has a scope keep the backtraces of its calls. Call this before the scope begins. A call then costs
/// about a microsecond more. See `crebind_reach_find_frames` for the frames.
///
/// \param groups A bit for each group, `1 << group`, whose calls it keeps.
/// \param limit The largest number of sites. Calls of further sites are counted as dropped.
/// \returns false if memory runs out.
bool crebind_counting_watch_sites(crebind_counting_scope *scope, uint32_t groups, size_t limit);

/// Gives one site of a scope that watches sites.
///
/// \param position 0 for the first one. Receives what gives the next one.
/// \param site Its function is a `crebind_counting_function`, and its amount the bytes. Its frames last as long as the
///   scope.
/// \returns false for no more.
bool crebind_counting_next_site(const crebind_counting_scope *scope, size_t *position,
                                crebind_reach_site *site);

/// Whether the image at a frame's address has been there all the time. Otherwise its names may be wrong.
/// Call this after you have read the names.
bool crebind_counting_is_certain(const crebind_counting_scope *scope, uintptr_t address);

/// The calls that have no site, because there were too many.
uint64_t crebind_counting_dropped_calls(const crebind_counting_scope *scope);

/// Whether the file that an address was loaded from was removed, or another one has taken its place.
bool crebind_counting_is_file_gone(const void *address);

/// Runs a program, without an environment, and waits for it. This function is provided because Swift has
/// no memfd_create(2).
///
/// \param words Its path and its arguments, and NULL.
/// \param input The text that the program reads.
/// \returns Its output, which the caller frees; NULL if it has printed nothing.
char *_Nullable crebind_counting_run_symbolizer(char *_Nullable const *_Nonnull words, const char *input);

/// The scope ends with the next call of `crebind_counting_end`.
///
/// \param outer For a task, the scope that the value has led to so far.
/// \param tracks_peak For a scope of the process: all threads then share one number, which gives
///   the peak.
void crebind_counting_begin(crebind_counting_scope *scope,
                            crebind_counting_scope *_Nullable outer, bool tracks_peak);
void crebind_counting_end(crebind_counting_scope *scope);

/// The counts from the beginning to the end, or so far.
///
/// \returns Whether the peak is known.
bool crebind_counting_read(const crebind_counting_scope *scope, crebind_counting_counts *counts);

/// Frees a scope that has ended, and that no task's value leads to any more.
void crebind_counting_free(crebind_counting_scope *scope);

/// The key of the task-local value. The value starts with a pointer to the youngest scope.
void crebind_counting_set_task_key(const void *key);

/// Has blocks on queues take the task-local value along.
///
/// \param type The metadata of the value's type.
void crebind_counting_follow_queues(const void *type);

/// Tells where Swift's runtime is: the address of anything in it. If the counters are in the
/// runtime's image, its calls go through no slot and are not counted.
void crebind_counting_set_runtime(const void *address);

/// Until the end, calls of this thread are counted in no scope. Such pairs may nest.
void crebind_counting_suppress_begin(void);
void crebind_counting_suppress_end(void);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
