#if defined(__linux__)
#define _GNU_SOURCE
#include "transactions/observe.h"
#include "runtime/futex.h"
#include "runtime/lock.h"
#include "runtime/status.h"
#include "transactions/attempt.h"
#include "transactions/dlsym-slots.h"
#include "world/gather.h"

#include <errno.h>
#include <sys/syscall.h>

/// One observer, with the events that it has not been told. The lock guards all fields.
struct crebind_observation {
  crebind_image_observer observer;
  struct crebind_vector told;    // bool, by known image
  struct crebind_vector events;  // struct event, from `next_event` on
  struct crebind_strings strings;
  size_t next_event;
  /// The thread that is telling the observer, or 0, and how often it has begun to: a callback may
  /// load an image.
  uint32_t teller;
  unsigned depth;
  /// The observation has ended; it has ended in a callback of its own, so the thread that tells it
  /// has to free it.
  bool is_ended, is_abandoned;
  struct crebind_observation *next;
};

struct event {
  bool is_added;
  struct crebind_gathered_image image;
};

/// Guarded by the lock.
static struct crebind_observation *observations;

static void free_observation(struct crebind_observation *observation) {
  crebind_vector_free(&observation->told);
  crebind_vector_free(&observation->events);
  crebind_vector_free(&observation->strings.bytes);
  crebind_memory_free(observation, sizeof *observation);
}

// MARK: - Noting

static bool note(struct crebind_observation *observation,
                 const struct crebind_known_image *known, bool is_added) {
  struct event *event = crebind_vector_append(&observation->events, 1);
  if (event == NULL) return false;
  struct crebind_strings *strings = &observation->strings;
  *event = (struct event){
      is_added,
      {known->header, known->bias,
       crebind_strings_add(strings, crebind_known_path(known)),
       crebind_strings_add(strings, crebind_known_soname(known))}};
  if (crebind_strings_have_taken(strings)) return true;
  crebind_vector_truncate(&observation->events, observation->events.count - 1);
  return false;
}

/// Compares what each observer was told with what is there; an image that has
/// taken another one's place counts as one that went and one that came.
static crebind_status note_changes(struct crebind_attempt *attempt, void *context) {
  (void)context;
  const struct crebind_world *world = &attempt->world;
  size_t count = crebind_known_count();
  for (struct crebind_observation *observation = observations; observation != NULL;
       observation = observation->next) {
    if (observation->told.count < count
        && crebind_vector_append(&observation->told, count - observation->told.count) == NULL)
      return CREBIND_OUT_OF_MEMORY;
    bool *told = (bool *)observation->told.data;
    for (size_t i = 0; i < count; i++) {
      const struct crebind_known_image *known = crebind_known_image_at(i);
      if (!told[i] || known->is_present) continue;
      if (!note(observation, known, false)) return CREBIND_OUT_OF_MEMORY;
      told[i] = false;
    }
    // In the loader's order, which is not that of the records.
    for (size_t i = 0; i < world->images.items.count; i++) {
      uint32_t index = crebind_world_known(world, i);
      if (told[index]) continue;
      if (!note(observation, crebind_known_image_at(index), true)) return CREBIND_OUT_OF_MEMORY;
      told[index] = true;
      // This is noted at once: if memory runs out for the rest, the index must not go to another
      // image.
      crebind_known_use(index, CREBIND_USED_BY_OBSERVERS, true);
    }
  }
  for (size_t i = 0; i < count; i++)
    crebind_known_use(i, CREBIND_USED_BY_OBSERVERS,
                      observations != NULL && crebind_known_image_at(i)->is_present);
  return CREBIND_OK;
}

static crebind_status look(struct crebind_attempt *attempt, void *context) {
  // This uncovers slots that could not be uncovered when a batch went. It does no harm if they
  // still cannot be.
  bool unused = false;
  crebind_dlsym_slots_end(attempt, crebind_dlsym_slots_begin(attempt, NULL, &unused));
  return note_changes(attempt, context);
}

crebind_status crebind_look_for_images(crebind_error *error) {
  int saved_errno = errno;
  crebind_status status = crebind_attempt(look, NULL, NULL, error);
  errno = saved_errno;
  return status;
}

// MARK: - Telling

/// Takes an observation for this thread; under the lock. False if another thread
/// is telling it: that one goes on until nothing is left.
static bool begin_telling(struct crebind_observation *observation, uint32_t own) {
  if (observation->teller != 0 && observation->teller != own) return false;
  observation->teller = own;
  observation->depth++;
  return true;
}

/// Under the lock.
static void end_telling(struct crebind_observation *observation) {
  if (--observation->depth != 0) return;
  observation->teller = 0;
  if (observation->is_abandoned)
    free_observation(observation);
  else if (observation->is_ended)
    crebind_system_call(SYS_futex, &observation->teller, CREBIND_FUTEX_WAKE, INT32_MAX);
}

/// Tells all events. It holds the lock, except during the calls. The strings are copied, because
/// they move while more are noted.
static void tell(struct crebind_observation *observation) {
  struct crebind_strings strings;
  crebind_strings_begin(&strings);
  while (!observation->is_ended && observation->next_event < observation->events.count) {
    struct event event =
        *(struct event *)crebind_vector_at(&observation->events, observation->next_event);
    crebind_image_info info = crebind_image_of(&observation->strings, &event.image);
    crebind_vector_truncate(&strings.bytes, 0);
    event.image.path = crebind_strings_add(&strings, info.path);
    event.image.soname = crebind_strings_add(&strings, info.soname);
    if (strings.lacks_memory) break;  // told another time
    observation->next_event++;
    info = crebind_image_of(&strings, &event.image);
    crebind_image_observer observer = observation->observer;
    crebind_unlock();
    if (event.is_added && observer.added != NULL) observer.added(&info, observer.context);
    if (!event.is_added && observer.removed != NULL) observer.removed(&info, observer.context);
    crebind_lock();
  }
  if (!observation->is_ended && observation->next_event == observation->events.count) {
    crebind_vector_truncate(&observation->events, 0);
    crebind_vector_truncate(&observation->strings.bytes, 0);
    observation->next_event = 0;
  }
  crebind_vector_free(&strings.bytes);
}

void crebind_tell_observers(void) {
  int saved_errno = errno;
  uint32_t own = (uint32_t)crebind_thread_number();
  crebind_lock();
  for (struct crebind_observation *observation = observations, *next; observation != NULL;
       observation = next) {
    next = observation->next;
    if (observation->events.count == observation->next_event || !begin_telling(observation, own))
      continue;
    tell(observation);
    // Callbacks may have ended any observation.
    next = observation->is_ended ? observations : observation->next;
    end_telling(observation);
  }
  crebind_unlock();
  errno = saved_errno;
}

// MARK: - Observing

/// Under the lock; false if the observation has ended before.
static bool unlink_observation(struct crebind_observation *observation) {
  struct crebind_observation **link = &observations;
  while (*link != NULL && *link != observation) link = &(*link)->next;
  if (*link == NULL) return false;
  *link = observation->next;
  return true;
}

crebind_status crebind_observation_begin(const crebind_image_observer *observer,
                                         crebind_observation **result, crebind_error *error) {
  struct crebind_observation *observation = crebind_memory(sizeof *observation);
  if (observation == NULL) return crebind_fail(error, CREBIND_OUT_OF_MEMORY, -1);
  observation->observer = *observer;
  observation->told = CREBIND_VECTOR(bool);
  observation->events = CREBIND_VECTOR(struct event);
  crebind_strings_begin(&observation->strings);
  crebind_lock();
  // Nobody else tells it before it knows the images that are loaded.
  begin_telling(observation, (uint32_t)crebind_thread_number());
  observation->next = observations;
  observations = observation;
  crebind_unlock();
  crebind_status status = crebind_look_for_images(error);
  crebind_lock();
  if (status == CREBIND_OK) {
    *result = observation;
    tell(observation);
  } else {
    unlink_observation(observation);
    observation->is_abandoned = true;
  }
  end_telling(observation);
  crebind_unlock();
  return status;
}

bool crebind_observation_end(crebind_observation *observation) {
  crebind_lock();
  if (!unlink_observation(observation)) {
    crebind_unlock();
    return false;
  }
  observation->is_ended = true;
  if (observation->teller == (uint32_t)crebind_thread_number()) {
    observation->is_abandoned = true;
  } else {
    for (uint32_t teller; (teller = observation->teller) != 0;) {
      crebind_unlock();
      crebind_system_call(SYS_futex, &observation->teller, CREBIND_FUTEX_WAIT, teller);
      crebind_lock();
    }
    free_observation(observation);
  }
  crebind_unlock();
  return true;
}

/// Other threads, which do not exist in the child, tell nothing any more.
static void forked(int parent) {
  for (struct crebind_observation *observation = observations; observation != NULL;
       observation = observation->next) {
    bool is_own = observation->teller == (uint32_t)parent;
    observation->teller = is_own ? crebind_thread_number() : 0;
    if (!is_own) observation->depth = 0;
  }
}

__attribute__((constructor)) static void start(void) {
  static struct crebind_fork_handler handler = {forked, NULL};
  crebind_handle_forks(&handler);
}
#endif
