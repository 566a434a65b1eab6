#if defined(__linux__)
#define _GNU_SOURCE
#include "transactions/notice.h"
#include "runtime/lock.h"
#include "runtime/thread.h"
#include "planning/active.h"
#include "transactions/observe.h"
#include "transactions/transaction.h"
#include "world/loader.h"

#include <errno.h>
#include <limits.h>

// MARK: - Wrappers

/// They are atomic: any thread reads them, and phase C stores them.
static void *(*original_dlopen)(const char *, int);
static int (*original_dlclose)(void *);

/// Serves the images that came and went. The outermost call tells the observers, when the
/// loader's lock is free: also of the images that constructors and destructors load and unload.
static void end_loading(bool has_changed) {
  if (has_changed) {
    crebind_look_for_images(NULL);
    crebind_notice_update();
  }
  if (crebind_loader_end_call()) crebind_tell_observers();
}

static void *open_and_tell(const char *file, int mode) {
  crebind_loader_begin_call();
  void *image = __atomic_load_n(&original_dlopen, __ATOMIC_ACQUIRE)(file, mode);
  end_loading(image != NULL);
  return image;
}

static void *open_path_and_tell(char *path, int mode) {
  void *image = open_and_tell(path, mode);
  crebind_memory_free(path, PATH_MAX);
  return image;
}

/// The arguments of dlopen, as they are going to be.
struct arguments {
  const char *file;
  uintptr_t mode;
};

// Called by assembly alone.
#pragma GCC visibility push(hidden)
uintptr_t crebind_choose_dlopen(struct arguments *arguments, uintptr_t caller);
extern void crebind_dlopen_entry(void);
#pragma GCC visibility pop

/// The loader takes us for the caller, and would search by our RUNPATH.
__attribute__((used)) uintptr_t crebind_choose_dlopen(struct arguments *arguments,
                                                      uintptr_t caller) {
  char *path = crebind_memory(PATH_MAX);
  enum crebind_opening opening = path != NULL
                                     ? crebind_opening_for(arguments->file, caller, path)
                                     : CREBIND_OPEN_BY_CALLER;
  if (opening == CREBIND_OPEN_PATH) {
    arguments->file = path;
    return (uintptr_t)open_path_and_tell;
  }
  crebind_memory_free(path, PATH_MAX);
  if (opening == CREBIND_OPEN_AS_IT_IS) return (uintptr_t)open_and_tell;
  return (uintptr_t)__atomic_load_n(&original_dlopen, __ATOMIC_ACQUIRE);
}

CREBIND_DEFINE_TAIL_CALL(crebind_dlopen_entry, crebind_choose_dlopen);

static int close_and_tell(void *image) {
  crebind_loader_begin_call();
  int result = __atomic_load_n(&original_dlclose, __ATOMIC_ACQUIRE)(image);
  end_loading(result == 0);
  return result;
}

// MARK: - Users

/// Guarded by the lock. One thread at a time changes `wrappers`, without the lock.
static size_t observers;
static bool is_changing;
/// This thread is the one that changes `wrappers`.
static __thread bool changes_wrappers CREBIND_TLS;
static crebind_handle *wrappers;

/// True if somebody needs the wrappers. A batch's need stays as long as any batch lives.
static bool are_needed(void) {
  static bool is_needed_by_batches;
  bool has_batches = false;
  for CREBIND_EACH_BATCH(handle) {
    if (handle->is_own) continue;
    has_batches = true;
    is_needed_by_batches |=
        crebind_active_of(handle)->needs_notice
        && crebind_options_serve_later_images(&handle->batch.options);
  }
  is_needed_by_batches &= has_batches;
  return observers != 0 || is_needed_by_batches;
}

/// True if nobody wants a definition redirected, dlopen's among them.
static bool are_for_slots_only(void) {
  for CREBIND_EACH_BATCH(handle)
    if (!handle->is_own && !handle->batch.options.slots_only) return false;
  return observers == 0;
}

/// True if the wrappers are in place when they are needed, and gone when they are not.
static bool are_in_line(void) {
  if (!are_needed()) return wrappers == NULL;
  return wrappers != NULL && !crebind_is_unrestored(wrappers)
         && wrappers->batch.options.slots_only == are_for_slots_only();
}

enum { WRAPPERS = 2 };
static const crebind_rebinding rebindings[WRAPPERS] = {
    {.name = "dlopen", .replacement = (void *)crebind_dlopen_entry,
     .original = (void **)&original_dlopen},
    {.name = "dlclose", .replacement = (void *)close_and_tell,
     .original = (void **)&original_dlclose},
};

static crebind_options options_of(bool slots_only) {
  return (crebind_options){.slots_only = slots_only, .skips_sealed_images = true};
}

/// Without the wrappers, callers still have crebind_refresh, as the header says.
static crebind_handle *install(bool slots_only) {
  const crebind_options options = options_of(slots_only);
  crebind_handle *handle;
  crebind_status status =
      crebind_apply_batch(rebindings, NULL, WRAPPERS, &options, NULL, &handle, NULL, NULL);
  return status == CREBIND_OK ? handle : NULL;
}

void crebind_notice_join(struct crebind_attempt *attempt, bool *may_race) {
  if (is_changing || wrappers != NULL || !are_needed()) return;
  const crebind_options options = options_of(are_for_slots_only());
  wrappers = crebind_apply_own(attempt, rebindings, WRAPPERS, &options, may_race);
}

/// Installs or restores the wrappers, as they are needed. No thread waits for the thread that does
/// so: that one may wait for the loader's lock, which the other thread may hold.
static void change_observers(size_t difference) {
  int saved_errno = errno;
  crebind_lock();
  observers += difference;
  bool succeeds = true;
  while (succeeds && !is_changing && !are_in_line()) {
    // The handle is taken away meanwhile, because a forked child would find it half freed.
    crebind_handle *handle = wrappers;
    bool slots_only = are_for_slots_only(), is_needed = are_needed();
    wrappers = NULL;
    is_changing = changes_wrappers = true;
    crebind_unlock();
    if (handle == NULL || (is_needed && crebind_is_unrestored(handle))) {
      crebind_handle *unrestored = handle;
      handle = install(slots_only);
      succeeds = handle != NULL;
      // The new wrappers take the places of the unrestored ones.
      if (unrestored != NULL) crebind_restore_batch(unrestored, NULL, NULL);
    } else {
      succeeds = crebind_restore_batch(handle, NULL, NULL) == CREBIND_OK;
      if (succeeds) handle = NULL;
    }
    crebind_lock();
    wrappers = handle;
    is_changing = changes_wrappers = false;
  }
  crebind_unlock();
  errno = saved_errno;
}

/// Another thread that changed the wrappers does not exist in the child; this thread does, if a
/// predicate or a signal handler has forked meanwhile.
static void forked(int parent) {
  (void)parent;
  is_changing = changes_wrappers;
}

__attribute__((constructor)) static void start(void) {
  static struct crebind_fork_handler handler = {forked, NULL};
  crebind_handle_forks(&handler);
}

void crebind_notice_update(void) { change_observers(0); }
void crebind_notice_install(void) { change_observers(1); }
void crebind_notice_remove(void) { change_observers((size_t)-1); }
#endif
