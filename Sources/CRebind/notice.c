#define _GNU_SOURCE
#include "notice.h"
#include "observe.h"
#include "runtime.h"
#include "thread.h"
#include "transaction.h"

// MARK: - Wrappers

static void *(*original_dlopen)(const char *, int);
static int (*original_dlclose)(void *);

/// Serves the images that came and went. What a constructor or destructor loads
/// and unloads is told of by the outer call, when the loader's lock is free.
static void end_loading(bool has_changed) {
  if (has_changed) crebind_look_for_images(NULL);
  if (--crebind_thread.loading == 0) crebind_tell_observers();
}

static void *open_and_tell(const char *file, int mode) {
  char path[4096];
  // The loader takes us for the caller, and would search by our RUNPATH.
  if (crebind_caller_path(file, (uintptr_t)__builtin_return_address(0), path, sizeof path))
    file = path;
  crebind_thread.loading++;
  void *image = __atomic_load_n(&original_dlopen, __ATOMIC_ACQUIRE)(file, mode);
  end_loading(image != NULL);
  return image;
}

static int close_and_tell(void *image) {
  crebind_thread.loading++;
  int result = __atomic_load_n(&original_dlclose, __ATOMIC_ACQUIRE)(image);
  end_loading(result == 0);
  return result;
}

// MARK: - Users

/// Guarded by the lock. One thread at a time changes `wrappers`, without it.
static size_t users;
static bool is_changing;
static crebind_handle *wrappers;

static crebind_handle *install(void) {
  const crebind_rebinding rebindings[] = {
      {.name = "dlopen", .replacement = (void *)open_and_tell,
       .original = (void **)&original_dlopen},
      {.name = "dlclose", .replacement = (void *)close_and_tell,
       .original = (void **)&original_dlclose},
  };
  crebind_handle *handle;
  // Without them crebind_refresh is left, as the header says.
  crebind_status status = crebind_apply_batch(rebindings, 2, NULL, false, &handle, NULL, NULL);
  return status == CREBIND_OK ? handle : NULL;
}

/// Brings the wrappers in line with the number of users. Nobody waits for the
/// thread that does so: it may wait for the loader, which the other one holds.
static void change_users(size_t difference) {
  crebind_lock();
  users += difference;
  bool succeeds = true;
  while (succeeds && !is_changing && (users != 0) != (wrappers != NULL)) {
    // Taken away meanwhile: a forked child would find it half freed.
    crebind_handle *handle = wrappers;
    wrappers = NULL;
    is_changing = true;
    crebind_unlock();
    if (handle == NULL) {
      handle = install();
      succeeds = handle != NULL;
    } else {
      succeeds = crebind_restore(handle, NULL, NULL) == CREBIND_OK;
      if (succeeds) handle = NULL;
    }
    crebind_lock();
    wrappers = handle;
    is_changing = false;
  }
  crebind_unlock();
}

void crebind_notice_forked(void) { is_changing = false; }

void crebind_notice_install(void) { change_users(1); }
void crebind_notice_remove(void) { change_users((size_t)-1); }
