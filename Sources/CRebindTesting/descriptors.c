/// Scopes that find the file descriptors which calls in reach open, and which stay open.
///
/// A look at /proc/self/fd cannot tell whose a descriptor is. So a call in reach that has opened one tags its number with
/// the scope, the file and the backtrace. Any thread may close the number, in reach or not, and takes the tag off. So the
/// hooks of functions that close have all of their calls watched, as long as some scope is on them. At the end the file
/// still has to be the same, since the C library also closes without a call that arrives here.
///
/// Another thread may be given a number as soon as it is closed. So a tag is marked before the call that closes it, and
/// is taken off afterwards only where it is the same. If such a call fails and the file is still open, the tag stays.
///
/// A child of vfork has its parent's memory and not its parent's descriptors. It runs on the thread that has called
/// vfork, so that such threads alone ask for their process.

#if defined(__linux__)
#define _GNU_SOURCE

#include "descriptor-functions.h"
#include "ends.h"
#include "runtime-images.h"
#include "scope.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/// Greater numbers are not followed, and are counted.
#define DESCRIPTORS 65536

/// The most backtraces, for all scopes. They take 7 MB of addresses, and memory as they come.
#define SITES 16384

// MARK: - Tags

/// The functions' places in the list, by the indices of their hooks.
static uint8_t places[CREBIND_STUBS_COUNT];

static const descriptor_function *function_of(const crebind_testing_call *call) {
  return &crebind_testing_descriptor_functions[places[crebind_stubs_index(&call->hook->stub)]];
}

/// The lowest bits of a tag's key. The others are the serial of its scope.
typedef enum state {
  FREE,
  OPEN,
  /// A call that closes it is under way.
  CLOSING,
  /// A call in its scope's reach has closed it, and nobody has been seen to open it since.
  CLOSED,
} state;

typedef struct tag {
  _Atomic uint64_t key;
  dev_t device;
  ino_t inode;
  const void *_Nullable caller;
  /// The site's number, or 0.
  uint32_t site;
  uint8_t function;
  bool is_of_library;
} tag;

/// By number.
static tag tags[DESCRIPTORS];
/// Greater numbers have not been tagged yet.
static _Atomic uint32_t greatest;
static crebind_reach_sites *_Nullable sites;
/// Calls that close, and whose ends could not be awaited.
static _Atomic uint64_t unseen_closings;
/// The process that tags are of.
static _Atomic pid_t process;

static state state_of(uint64_t key) { return (state)(key & 3); }

static uint64_t key_of(const crebind_testing_scope *scope, state state) {
  return scope->serial << 2 | state;
}

static bool is_same_file(int number, const tag *tag) {
  struct stat status;
  return fstat(number, &status) == 0 && status.st_dev == tag->device
         && status.st_ino == tag->inode;
}

/// Whether this is a child that shares the memory of its parent, or has a copy.
static bool is_in_child(void) {
  return crebind_testing_this_thread.has_forked && getpid() != process;
}

// MARK: - Calls that close

static void watch_end(crebind_testing_scope *scope, uint64_t number,
                      const crebind_testing_outcome *outcome) {
  (void)scope;
  bool has_failed = (int)outcome->word == -1;
  for (uint64_t i = number >> 16; i <= (number & 0xffff); i++) {
    uint64_t key = tags[i].key;
    bool is_left = has_failed
                   && (state_of(key) == CLOSED
                       || (state_of(key) == CLOSING && is_same_file((int)i, &tags[i])));
    if (state_of(key) == CLOSING || (state_of(key) == CLOSED && !is_left))
      atomic_compare_exchange_strong(&tags[i].key, &key,
                                     is_left ? (key & ~(uint64_t)3) | OPEN : FREE);
  }
}

/// Observes the ends of calls that close. It is in no list.
static crebind_testing_scope closing = {.observe = watch_end};

/// Marks what the call may close. Errno may change.
static void mark(const crebind_testing_call *call,
                 descriptor_range range) {
  bool is_tagged = false;
  for (uint32_t i = range.first; i <= range.last; i++) {
    uint64_t key = tags[i].key;
    if (key == FREE || is_in_child()) continue;
    if (state_of(key) == OPEN)
      atomic_compare_exchange_strong(&tags[i].key, &key, (key & ~(uint64_t)3) | CLOSING);
    is_tagged = true;
  }
  if (is_tagged
      && !crebind_testing_observe(call, &closing, (uint64_t)range.first << 16 | range.last))
    unseen_closings++;
}

/// Looks at each call that arrives, whoever is reached.
static void watch(const crebind_testing_call *call) {
  int error = errno;
  descriptor_rule rule = function_of(call)->rule;
  descriptor_range range = crebind_testing_closed_by(rule, call->registers, greatest);
  if (range.first <= range.last) mark(call, range);
  else if (rule == FORKS || (rule == CALLS_KERNEL && crebind_testing_forks(call->registers[0])))
    crebind_testing_this_thread.has_forked = true;
  errno = error;
}

// MARK: - The scope

/// A closing of a number that was closed already.
typedef struct closed_twice {
  /// Written last; 0 until then, or 1 more than the descriptor's number.
  _Atomic uint32_t number;
  uint32_t site;
  const void *_Nullable caller;
  uint8_t function;
} closed_twice;

typedef struct descriptor_scope {
  crebind_testing_scope scope;
  crebind_reach_code loops, others;
  /// Openings that could not be followed, and `unseen_closings` when the scope was made.
  _Atomic uint64_t unseen;
  uint64_t unseen_before;
  _Atomic size_t closed_twice_count;
  closed_twice closed_twice[64];
} descriptor_scope;

static uint32_t note_site(uint8_t function, const crebind_testing_outcome *outcome) {
  return (uint32_t)crebind_reach_note_call(sites, function, outcome->caller, outcome->place, 0);
}

static void put_tag(descriptor_scope *self, int number, uint8_t function,
                    const crebind_testing_outcome *outcome) {
  struct stat status;
  if (number >= DESCRIPTORS) self->unseen++;
  // A handler may have given anything.
  if (number < 0 || number >= DESCRIPTORS || fstat(number, &status) != 0) return;
  tag *tag = &tags[number];
  tag->key = FREE;
  tag->device = status.st_dev;
  tag->inode = status.st_ino;
  tag->caller = outcome->caller;
  tag->function = function;
  tag->is_of_library = crebind_reach_has_code(&self->loops, outcome->caller);
  tag->site = note_site(function, outcome);
  uint32_t known = greatest;
  while (known < (uint32_t)number
         && !atomic_compare_exchange_weak(&greatest, &known, (uint32_t)number))
    continue;
  tag->key = key_of(&self->scope, OPEN);
}

static void put_tags_of_message(descriptor_scope *self, const struct msghdr *message,
                                uint8_t function, const crebind_testing_outcome *outcome) {
  struct msghdr copy = *message;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&copy); part != NULL; part = CMSG_NXTHDR(&copy, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const unsigned char *end = (const unsigned char *)part + part->cmsg_len;
    const unsigned char *place = CMSG_DATA(part);
    for (int number; place + sizeof number <= end; place += sizeof number) {
      memcpy(&number, place, sizeof number);
      put_tag(self, number, function, outcome);
    }
  }
}

/// A call in reach has closed a number that this scope has tagged, or has closed it in vain.
static void note_closed(descriptor_scope *self, uint32_t number, uint8_t function,
                        const crebind_testing_outcome *outcome) {
  bool has_failed = (int)outcome->word == -1;
  uint64_t key = FREE, closed = key_of(&self->scope, CLOSED);
  if (!has_failed) {
    atomic_compare_exchange_strong(&tags[number].key, &key, closed);
  } else if (outcome->error == EBADF && tags[number].key == closed) {
    size_t i = self->closed_twice_count++;
    if (i >= sizeof self->closed_twice / sizeof *self->closed_twice) return;
    self->closed_twice[i].function = function;
    self->closed_twice[i].caller = outcome->caller;
    self->closed_twice[i].site = note_site(function, outcome);
    self->closed_twice[i].number = number + 1;
  }
}

/// The facts of a call that a scope keeps until its end: an argument of 48 bits, whether it closes, and the function.
static uint64_t number_of(uint64_t argument, bool closes, uint8_t function) {
  return argument << 16 | (uint64_t)closes << 8 | function;
}

static void observe(crebind_testing_scope *scope, uint64_t number,
                    const crebind_testing_outcome *outcome) {
  descriptor_scope *self = (descriptor_scope *)scope;
  uint8_t function = (uint8_t)number;
  uint64_t argument = number >> 16;
  int result = (int)outcome->word;
  descriptor_rule rule = crebind_testing_descriptor_functions[function].rule;
  if (scope->ended) {
    // Nobody would take the tag off.
  } else if ((number & 0x100) != 0) {
    note_closed(self, (uint32_t)argument, function, outcome);
  } else if (rule == OPENS_STREAM || rule == OPENS_STREAM_ANEW) {
    put_tag(self, crebind_testing_of_stream(outcome->word), function, outcome);
  } else if (rule == OPENS_FOLDER) {
    put_tag(self, crebind_testing_of_folder(outcome->word), function, outcome);
  } else if (rule == OPENS_PAIR || rule == OPENS_PAIR_AT_FOURTH) {
    for (int i = 0; i < 2 && result == 0; i++)
      put_tag(self, ((const int *)(uintptr_t)argument)[i], function, outcome);
  } else if (rule == RECEIVES) {
    if (result >= 0)
      put_tags_of_message(self, (const struct msghdr *)(uintptr_t)argument, function, outcome);
  } else if (argument != 0) {
    // The child, where the result is 0, has its parent's tags, and they are the parent's.
    if (result > 0) put_tag(self, *(const int *)(uintptr_t)argument, function, outcome);
  } else {
    put_tag(self, result, function, outcome);
  }
  if (scope->reaches_process) scope->calls--;
}

/// Whether a call opens a number anew that nobody in reach has opened. Programs do that to standard output, which they
/// point elsewhere and back.
static bool was_open(int number) {
  bool is_of_scope = number >= 0 && (uint32_t)number <= greatest
                     && state_of(tags[number].key) == CLOSING;
  return !is_of_scope && fcntl(number, F_GETFD) >= 0;
}

/// Whether a call may open a descriptor that is the scope's.
///
/// \param argument Receives what the end has to know.
static bool may_open(const descriptor_scope *self, const descriptor_function *function,
                     const crebind_testing_call *call, uint64_t *argument) {
  const uint64_t *registers = call->registers;
  *argument = 0;
  switch (function->rule) {
  case CONTROLS:
    if ((int)registers[1] != F_DUPFD && (int)registers[1] != F_DUPFD_CLOEXEC) return false;
    break;
  case CALLS_KERNEL:
    *argument = crebind_testing_place_of_child(registers);
    if (*argument == 0 && !crebind_testing_opens_descriptor(registers[0])) return false;
    break;
  case OPENS_ONTO:
    if ((int)registers[0] == (int)registers[1] || was_open((int)registers[1])) return false;
    break;
  case OPENS_STREAM_ANEW:
    if (was_open(crebind_testing_of_stream(registers[2]))) return false;
    break;
  case OPENS_PAIR: *argument = registers[0]; break;
  case OPENS_PAIR_AT_FOURTH: *argument = registers[3]; break;
  case RECEIVES: *argument = registers[1]; break;
  default:
    if (function->rule > OPENS_FOLDER) return false;
  }
  return !crebind_reach_has_code(&self->others, call->caller)
         && !(function->is_kept_by_loops && crebind_reach_has_code(&self->loops, call->caller));
}

static void *decide(crebind_testing_scope *scope, const crebind_testing_call *call);

static bool follow(descriptor_scope *self, const crebind_testing_call *call, uint64_t number) {
  if (!crebind_testing_observe(call, &self->scope, number)) return false;
  if (self->scope.reaches_process) self->scope.calls++;
  return true;
}

static void *decide(crebind_testing_scope *scope, const crebind_testing_call *call) {
  descriptor_scope *self = (descriptor_scope *)scope;
  int error = errno;
  uint8_t place = places[crebind_stubs_index(&call->hook->stub)];
  const descriptor_function *function = &crebind_testing_descriptor_functions[place];
  uint64_t argument;
  if (may_open(self, function, call, &argument)) {
    // A younger scope passes its tags on when it ends.
    if (!is_in_child() && !crebind_testing_is_observed(call, decide)
        && !follow(self, call, number_of(argument, false, place)))
      self->unseen++;
  } else {
    descriptor_range range = crebind_testing_closed_by(function->rule, call->registers, greatest);
    uint64_t key = range.first == range.last ? tags[range.first].key : FREE;
    if (key >> 2 == scope->serial && state_of(key) != OPEN && !is_in_child()
        && !follow(self, call, number_of(range.first, true, place)))
      self->unseen++;
  }
  errno = error;
  return NULL;
}

crebind_testing_scope *crebind_testing_descriptor_scope(crebind_testing_hook *const *hooks) {
  descriptor_scope *scope = crebind_testing_scope_make(sizeof *scope, hooks, DESCRIPTOR_FUNCTIONS, decide);
  if (scope == NULL) return NULL;
  if (sites == NULL) sites = crebind_reach_make_sites(SITES);
  if (sites == NULL) {
    crebind_testing_free(&scope->scope);
    return NULL;
  }
  process = getpid();
  for (size_t i = 0; i < DESCRIPTOR_FUNCTIONS; i++) {
    places[crebind_stubs_index(&hooks[i]->stub)] = (uint8_t)i;
    if (crebind_testing_descriptor_functions[i].rule >= OPENS_ONTO) hooks[i]->watch = watch;
  }
  crebind_testing_find_libraries(&scope->loops, CREBIND_TESTING_EVENT_LOOPS);
  crebind_testing_find_libraries(&scope->others, CREBIND_TESTING_KEEPERS);
  scope->unseen_before = unseen_closings;
  scope->scope.observe = observe;
  return &scope->scope;
}

// MARK: - What was found

/// Gives a site by its number, or in its stead the caller alone.
static void give_site(crebind_testing_descriptor *descriptor, uint32_t site,
                      const void *_Nonnull const *_Nonnull caller) {
  size_t position = site - 1;
  if (site != 0 && crebind_reach_next_site(sites, &position, &descriptor->site)) return;
  descriptor->site = (crebind_reach_site){
      .frames = (const uintptr_t *)(uintptr_t)caller, .frame_count = 1, .is_cut = true};
}

bool crebind_testing_next_descriptor(const crebind_testing_scope *scope, size_t *position,
                                     crebind_testing_descriptor *descriptor) {
  const descriptor_scope *self = (const descriptor_scope *)scope;
  for (; *position <= greatest; ++*position) {
    const tag *tag = &tags[*position];
    if (tag->key != key_of(scope, OPEN) || !is_same_file((int)*position, tag)) continue;
    descriptor->number = (int)*position;
    descriptor->function = tag->function;
    descriptor->is_closed_twice = false;
    descriptor->is_of_library = tag->is_of_library;
    give_site(descriptor, tag->site, &tag->caller);
    ++*position;
    return true;
  }
  if (*position < DESCRIPTORS) *position = DESCRIPTORS;
  for (size_t i; (i = *position - DESCRIPTORS) < sizeof self->closed_twice / sizeof *self->closed_twice;) {
    const closed_twice *found = &self->closed_twice[i];
    ++*position;
    if (found->number == 0) continue;
    descriptor->number = (int)found->number - 1;
    descriptor->function = found->function;
    descriptor->is_closed_twice = true;
    give_site(descriptor, found->site, &found->caller);
    return true;
  }
  return false;
}

crebind_reach_sites *crebind_testing_descriptor_sites(void) { return sites; }

uint64_t crebind_testing_unseen_descriptors(const crebind_testing_scope *scope) {
  const descriptor_scope *self = (const descriptor_scope *)scope;
  return self->unseen + (unseen_closings - self->unseen_before);
}

void crebind_testing_pass_on_descriptors(const crebind_testing_scope *scope) {
  const crebind_testing_scope *outer = scope;
  crebind_testing_lock();
  do outer = crebind_testing_innermost(scope->members[0].hook, outer->serial);
  while (outer != NULL && outer->decide != decide);
  for (size_t i = 0; i <= greatest; i++) {
    uint64_t key = tags[i].key;
    if (key >> 2 != scope->serial) continue;
    uint64_t next = outer != NULL ? key_of(outer, state_of(key)) : FREE;
    atomic_compare_exchange_strong(&tags[i].key, &key, next);
  }
  crebind_testing_unlock();
}
#endif
