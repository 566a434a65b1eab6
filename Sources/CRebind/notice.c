#define _GNU_SOURCE
#include "notice.h"
#include "attempt.h"
#include "gather.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>

struct crebind_observation {
  crebind_image_observer observer;
  struct crebind_vector told;  // bool, by known image
  struct crebind_observation *next;
};

static struct crebind_observation *observations;

// MARK: - Delivery lock

/// Held while observers are told, so that events arrive one at a time and in
/// order. Recursive, since a callback may load an image. Taken before the other
/// locks.
static struct {
  crebind_mutex mutex;
  int owner;
  unsigned depth;
} delivery;

static void lock_delivery(void) {
  int own = (int)crebind_runtime()->system_call(SYS_gettid);
  if (__atomic_load_n(&delivery.owner, __ATOMIC_RELAXED) == own) {
    delivery.depth++;
    return;
  }
  crebind_mutex_lock(&delivery.mutex);
  __atomic_store_n(&delivery.owner, own, __ATOMIC_RELAXED);
  delivery.depth = 1;
}

static void unlock_delivery(void) {
  if (--delivery.depth != 0) return;
  __atomic_store_n(&delivery.owner, 0, __ATOMIC_RELAXED);
  crebind_mutex_unlock(&delivery.mutex);
}

// MARK: - Fork

// A child has only the thread that forked: with both locks taken no other one is
// in the middle of a change, or holds the loader's lock for us.

static void before_fork(void) {
  lock_delivery();
  crebind_lock();
}

static void after_fork_in_parent(void) {
  crebind_unlock();
  unlock_delivery();
}

static void after_fork_in_child(void) {
  crebind_unlock();
  // The thread has another number now.
  __atomic_store_n(&delivery.owner, (int)crebind_runtime()->system_call(SYS_gettid),
                   __ATOMIC_RELAXED);
  unlock_delivery();
}

__attribute__((constructor(101))) static void handle_forks(void) {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

// MARK: - Events

struct event {
  struct crebind_observation *observation;
  bool is_added;
  struct crebind_gathered_image image;
};

struct events {
  struct crebind_vector items;    // struct event
  struct crebind_strings strings;
};

static bool add_event(struct events *events, struct crebind_observation *observation,
                      const struct crebind_known_image *known, bool is_added) {
  struct event *event = crebind_vector_append(&events->items, 1);
  if (event == NULL) return false;
  *event = (struct event){
      observation,
      is_added,
      {known->header, known->bias,
       crebind_strings_add(&events->strings, crebind_known_string(known->path)),
       crebind_strings_add(&events->strings, crebind_known_string(known->soname))}};
  return true;
}

/// Compares what each observer was told with what is there; an image that has
/// taken another one's place counts as one that went and one that came.
static crebind_status collect_events(struct crebind_attempt *attempt, void *context) {
  (void)attempt;
  struct events *events = context;
  size_t count = crebind_records.known.count;
  for (struct crebind_observation *observation = observations; observation != NULL;
       observation = observation->next) {
    if (observation->told.count < count
        && crebind_vector_append(&observation->told, count - observation->told.count) == NULL)
      return CREBIND_OUT_OF_MEMORY;
    bool *told = (bool *)observation->told.data;
    for (unsigned is_added = 0; is_added <= 1; is_added++)
      for (size_t i = 0; i < count; i++) {
        const struct crebind_known_image *known = crebind_known_image_at(i);
        if (told[i] == is_added || known->is_present != is_added) continue;
        told[i] = is_added;
        if (!add_event(events, observation, known, is_added)) return CREBIND_OUT_OF_MEMORY;
      }
  }
  for (size_t i = 0; i < count; i++) {
    struct crebind_known_image *known = crebind_known_image_at(i);
    known->is_announced = observations != NULL && known->is_present;
  }
  return CREBIND_OK;
}

static bool is_observing(const struct crebind_observation *observation) {
  const struct crebind_observation *other = observations;
  while (other != NULL && other != observation) other = other->next;
  return other != NULL;
}

static void deliver(const struct events *events) {
  for (size_t i = 0; i < events->items.count; i++) {
    const struct event *event = crebind_vector_at(&events->items, i);
    // A callback before may have ended the observation.
    if (!is_observing(event->observation)) continue;
    const crebind_image_observer *observer = &event->observation->observer;
    crebind_image_info info = crebind_image_of(&events->strings, &event->image);
    if (event->is_added && observer->added != NULL) observer->added(&info, observer->context);
    if (!event->is_added && observer->removed != NULL) observer->removed(&info, observer->context);
  }
}

crebind_status crebind_refresh(crebind_error *error) {
  int saved_errno = errno;
  struct events events = {.items = CREBIND_VECTOR(struct event)};
  crebind_strings_begin(&events.strings);
  lock_delivery();
  crebind_status status = crebind_attempt(collect_events, &events, NULL, error);
  deliver(&events);
  unlock_delivery();
  crebind_vector_free(&events.items);
  crebind_vector_free(&events.strings.bytes);
  errno = saved_errno;
  return status;
}

crebind_status crebind_observe(const crebind_image_observer *observer,
                               crebind_observation **result, crebind_error *error) {
  if (observer->added == NULL && observer->removed == NULL)
    return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  struct crebind_observation *observation = crebind_pages(sizeof *observation);
  if (observation == NULL) return crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
  observation->observer = *observer;
  observation->told = CREBIND_VECTOR(bool);
  crebind_notice_install();
  lock_delivery();
  crebind_lock();
  observation->next = observations;
  observations = observation;
  crebind_unlock();
  crebind_status status = crebind_refresh(error);
  unlock_delivery();
  *result = observation;
  if (status != CREBIND_OK) crebind_unobserve(observation);
  return status;
}

void crebind_unobserve(crebind_observation *observation) {
  lock_delivery();
  crebind_lock();
  struct crebind_observation **link = &observations;
  while (*link != NULL && *link != observation) link = &(*link)->next;
  bool was_observing = *link != NULL;
  if (was_observing) *link = observation->next;
  crebind_unlock();
  unlock_delivery();
  if (!was_observing) return;
  crebind_vector_free(&observation->told);
  crebind_pages_free(observation, sizeof *observation);
  crebind_notice_remove();
}

// MARK: - Wrappers

static void *(*original_dlopen)(const char *, int);
static int (*original_dlclose)(void *);

static void *open_and_tell(const char *file, int mode) {
  char path[4096];
  void *image = NULL;
  // The loader takes us for the caller, and would search by our RUNPATH.
  if (crebind_caller_path(file, (uintptr_t)__builtin_return_address(0), path, sizeof path))
    image = original_dlopen(path, mode);
  if (image == NULL) image = original_dlopen(file, mode);
  if (image != NULL) crebind_refresh(NULL);
  return image;
}

static int close_and_tell(void *image) {
  int result = original_dlclose(image);
  if (result == 0) crebind_refresh(NULL);
  return result;
}

static unsigned users;
static crebind_handle *wrappers;

void crebind_notice_install(void) {
  static bool is_installing;
  lock_delivery();
  // The wrappers' own batch might ask for a notice where nothing defines dlopen.
  if (!is_installing && users++ == 0) {
    is_installing = true;
    const crebind_rebinding rebindings[] = {
        {.name = "dlopen", .replacement = (void *)open_and_tell,
         .original = (void **)&original_dlopen},
        {.name = "dlclose", .replacement = (void *)close_and_tell,
         .original = (void **)&original_dlclose},
    };
    // Without them crebind_refresh is left, as the header says.
    if (crebind_apply(rebindings, 2, NULL, &wrappers, NULL, NULL) != CREBIND_OK) wrappers = NULL;
    is_installing = false;
  }
  unlock_delivery();
}

void crebind_notice_remove(void) {
  lock_delivery();
  if (users != 0 && --users == 0 && wrappers != NULL) {
    if (crebind_restore(wrappers, NULL, NULL) == CREBIND_OK) wrappers = NULL;
  }
  unlock_delivery();
}
