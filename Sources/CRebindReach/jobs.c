/// The jobs that Swift's runtime puts on the queues of libdispatch.
///
/// A thread that blocks is no harm by itself: it may be a queue's, or the program's own. It is harm on a thread of
/// Swift's pool while that runs a job. The naive ways to know are each wrong somewhere. A default actor has an executor
/// of its own, the queue's label is another one inside of `queue.sync`, and after dispatch_main() the main actor is on
/// no main thread. So the runtime's own hand-over is watched: it gives libdispatch a job and the function that runs
/// jobs. We hand over a function of our own instead, which marks the thread while the job runs.
///
/// The runtime is known by the function that it passes, and not by who calls: it tail-calls on its way to libdispatch.

#if defined(__linux__)
#define _GNU_SOURCE

#include "CRebindReach.h"
#include "CRebindSites.h"

#include <stdatomic.h>
#include <string.h>

typedef void run_function(void *);
typedef const char *label_function(const void *queue);

static void *original;
static crebind_reach_code code, data;
static const void *main_queue;
static label_function *get_label;

/// The runtime's function that runs a job, once it has passed it.
static _Atomic(run_function *) run_job;

static bool is_runtime(const char *path, const void *context) {
  static const char name[] = "libswift_Concurrency.so";
  (void)context;
  const char *slash = strrchr(path, '/');
  return strcmp(slash != NULL ? slash + 1 : path, name) == 0;
}

bool crebind_reach_prepare_jobs(const void *queue, const void *label) {
  main_queue = queue;
  get_label = (label_function *)label;
  crebind_reach_find_code(&code, is_runtime, NULL);
  crebind_reach_find_data(&data, is_runtime, NULL);
  return code.count != 0;
}

const void *crebind_reach_job_code(void) { return (const void *)code.ranges[0].start; }

// MARK: - Queues

/// The runtime keeps the queues of its pool, one for each priority, in variables of its own.
static bool is_kept_by_runtime(const void *queue) {
  for (size_t i = 0; i < data.count; i++) {
    const uintptr_t *word = (const uintptr_t *)data.ranges[i].start;
    const uintptr_t *end = (const uintptr_t *)(data.ranges[i].end & ~(sizeof *word - 1));
    for (; word < end; word++)
      if (__atomic_load_n(word, __ATOMIC_RELAXED) == (uintptr_t)queue) return true;
  }
  return false;
}

/// Whether a queue is the pool's. These queues stay, so that each is looked for once.
static bool is_of_pool(const void *queue) {
  static _Atomic(const void *) known[8];
  size_t i = 0;
  for (; i < sizeof known / sizeof *known && known[i] != NULL; i++)
    if (known[i] == queue) return true;
  // A queue of the program's may have this label, too.
  if (strcmp(get_label(queue), "Swift global concurrent queue") != 0
      || !is_kept_by_runtime(queue))
    return false;
  const void *nothing = NULL;
  if (i < sizeof known / sizeof *known)
    atomic_compare_exchange_strong(&known[i], &nothing, queue);
  return true;
}

// MARK: - Jobs

CREBIND_REACH_LEFT_OUT static void run_as(crebind_reach_job kind, void *job) {
  crebind_reach_job former = crebind_reach_this_thread.job;
  crebind_reach_this_thread.job = kind;
  crebind_reach_this_thread.job_number++;
  run_job(job);
  crebind_reach_this_thread.job = former;
}

CREBIND_REACH_LEFT_OUT static void run_pool_job(void *job) { run_as(CREBIND_REACH_POOL_JOB, job); }
CREBIND_REACH_LEFT_OUT static void run_main_job(void *job) { run_as(CREBIND_REACH_MAIN_JOB, job); }

/// Whether this is the function by which the runtime runs jobs.
static bool runs_jobs(run_function *run) {
  run_function *known = run_job;
  if (known == NULL && crebind_reach_has_code(&code, (const void *)run)
      && atomic_compare_exchange_strong(&run_job, &known, run))
    return true;
  return known == run;
}

static void submit(void *queue, void *context, run_function *run) {
  if (runs_jobs(run)) {
    crebind_reach_note_job(context);
    if (queue == main_queue) run = run_main_job;
    else if (is_of_pool(queue)) run = run_pool_job;
  }
  ((void (*)(void *, void *, run_function *))original)(queue, context, run);
}

void *crebind_reach_submit_code(void) { return (void *)submit; }

void **crebind_reach_submit_original(void) { return &original; }

crebind_reach_job crebind_reach_this_job(void) { return crebind_reach_this_thread.job; }
#endif
