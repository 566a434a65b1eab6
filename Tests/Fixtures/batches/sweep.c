/// Each system call of the core's that may fail fails, at each call number: once, and from there
/// on, whatever pages it is about. A call of the interface that reports it has changed nothing,
/// one that does not has done its work, and the next one without a failure does all of it. Where
/// pages could not be closed, and others not opened again for the way back, nobody is led in a
/// circle, and the next call gives back what is stuck. Prints a table.
///
/// With -DDEFINER, -DCALLER, -DREPLACEMENT and -DLATER the libraries.
///
/// Usage: sweep CALLER REPLACEMENT LATER STEP [OPERATION CALL NUMBER once|on]
///   STEP: try each number that it divides

#define _GNU_SOURCE
#include <unistd.h>

int sweep_number(void);
int sweep_pending(void);

#if defined DEFINER
int sweep_number(void) { return 7; }
#elif defined CALLER
pid_t caller_parent(void);
pid_t caller_parent(void) { return getppid(); }
int caller_number(void);
int caller_number(void) { return sweep_number(); }
pid_t (*const caller_pointer)(void) = getppid;
__attribute__((section("sweep_section"), used)) static int section = 3;
#elif defined LATER
int sweep_pending(void) { return 70; }
int later_pending(void);
int later_pending(void) { return sweep_pending(); }
int (*const later_pointer)(void) = sweep_pending;
pid_t later_parent(void);
pid_t later_parent(void) { return getppid(); }
#elif defined REPLACEMENT
#include <dlfcn.h>
int replacement_count;
pid_t (*replacement_original)(void);
pid_t replacement(void);
pid_t replacement(void) {
  replacement_count++;
  return replacement_original();
}
void *replacement_next(void);
void *replacement_next(void) { return dlsym(RTLD_NEXT, "getppid"); }
__attribute__((section("swift5_type_metadata"), used)) static int metadata = 1;
#else

#include "runtime/runtime.h"
enum { BATCH = 3 };
#include "sweep.h"
#include "failing-calls.h"

// MARK: - The calls that fail

static const struct failing_call {
  const char *name;
  long number;
  int error;
} calls[] = {
    {"mprotect", SYS_mprotect, ENOMEM}, {"mmap", SYS_mmap, ENOMEM},
    {"mremap", SYS_mremap, ENOMEM},     {"openat", SYS_openat, EMFILE},
    {"read", SYS_read, EIO},            {"munmap", SYS_munmap, ENOMEM},
};
enum { CALLS = sizeof calls / sizeof *calls };

/// One bit a call.
enum { MPROTECT = 1, MMAP = 2, MREMAP = 4, OPENAT = 8, READ = 16, MUNMAP = 32, EVERY = 63 };

static const struct failing_call *failing;
static bool goes_on;
/// The same call follows one that could not take back all, before any other.
static bool goes_straight_on;
/// How many calls are granted until one fails; -1 for all.
static long granted = -1;

static bool was_refused, was_hooked;

// MARK: - State

enum { MOST_IMAGES = 32, MOST_WORDS = 512 };

struct state {
  char maps[1 << 16];
  /// Of what is read-only now, symbols and relro included.
  struct {
    ElfW(Addr) bias;
    uint64_t sum;
  } images[MOST_IMAGES];
  size_t image_count;
  uintptr_t words[MOST_WORDS];
};

/// The slots of what is rebound, in the images that are there from the start; in memory that the
/// children share.
static struct {
  size_t count;
  /// Where they lead once they are bound.
  uintptr_t addresses[MOST_WORDS], bound[MOST_WORDS];
  bool is_lazy[MOST_WORDS];
  char names[MOST_WORDS][16];
  uintptr_t hooked_address;
  /// The last child has failed a call.
  bool has_failed;
} *slots;

static uint64_t sum_of(uintptr_t start, size_t size, uint64_t sum) {
  for (size_t i = 0; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t))
    sum = (sum ^ *(const uint64_t *)(start + i)) * 0x9e3779b97f4a7c15 + (sum >> 29);
  return sum;
}

static int add_image(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct state *state = context;
  CHECK(state->image_count < MOST_IMAGES);
  uint64_t sum = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    bool is_constant = segment->p_type == PT_LOAD && (segment->p_flags & PF_W) == 0;
    if (is_constant || segment->p_type == PT_GNU_RELRO)
      sum = sum_of(info->dlpi_addr + segment->p_vaddr, segment->p_memsz, sum);
  }
  state->images[state->image_count].bias = info->dlpi_addr;
  state->images[state->image_count++].sum = sum;
  return 0;
}

static int spans(struct dl_phdr_info *info, size_t size, void *address) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    ElfW(Addr) start = (info->dlpi_addr + segment->p_vaddr) & -4096UL;
    ElfW(Addr) end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;
    if (segment->p_type == PT_LOAD && *(ElfW(Addr) *)address >= start
        && *(ElfW(Addr) *)address < end)
      return 1;
  }
  return 0;
}

/// The maps, but for the address of a page that is kept: see moved.h.
static void take_maps(struct state *state) {
  char *text = read_maps(), *to = state->maps;
  for (char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
    ElfW(Addr) address = strtoul(text, NULL, 16);
    if (dl_iterate_phdr(spans, &address) == 0) text = strchr(text, ' ');
    to = mempcpy(to, text, (size_t)(end - text) + 1);
  }
  *to = 0;
}

static void take(struct state *state) {
  state->image_count = 0;
  take_maps(state);
  dl_iterate_phdr(add_image, state);
  for (size_t i = 0; i < slots->count; i++)
    state->words[i] = *(const uintptr_t *)slots->addresses[i];
}

/// The lines that the other text does not have.
static void print_others(const char *title, const char *text, const char *other) {
  static char line[4096];
  for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
    snprintf(line, sizeof line, "%.*s", (int)(end - text) + 1, text);
    if (strstr(other, line) == NULL) fprintf(stderr, "%s: %s", title, line);
  }
}

/// \param with_notice Those of dlopen and dlclose, too.
static void check_slots(const struct state *before, bool with_notice) {
  for (size_t i = 0; i < slots->count; i++) {
    const char *name = slots->names[i];
    bool is_notice = strcmp(name, "dlopen") == 0 || strcmp(name, "dlclose") == 0;
    uintptr_t word = *(const uintptr_t *)slots->addresses[i];
    bool is_same = (is_notice && !with_notice) || word == before->words[i]
                   || word == slots->bound[i];
    if (!is_same) fprintf(stderr, "a slot of %s\n", name);
    CHECK(is_same);
  }
}

/// Pages that could not be closed hold what they did.
static void check_same(const struct state *before, bool are_maps_same) {
  static struct state now;
  take(&now);
  check_slots(before, true);
  CHECK(now.image_count == before->image_count);
  for (size_t i = 0; i < now.image_count; i++) {
    CHECK(now.images[i].bias == before->images[i].bias);
    CHECK(now.images[i].sum == before->images[i].sum);
  }
  if (!are_maps_same) return;
  print_others("before", before->maps, now.maps);
  print_others("after", now.maps, before->maps);
  CHECK(strcmp(now.maps, before->maps) == 0);
}

static bool is_hooked(void) {
  const uintptr_t *words = (const uintptr_t *)slots->addresses;
  for (size_t i = 0; i < slots->count; i++)
    if (*(const uintptr_t *)words[i] == slots->hooked_address) return true;
  return false;
}

static int refuse(long number, long first, long third) {
  (void)first, (void)third;
  if (granted < 0 || number != failing->number) return 0;
  if (granted > 0) {
    granted--;
    return 0;
  }
  if (was_refused && !goes_on) return 0;
  was_refused = slots->has_failed = true;
  was_hooked |= is_hooked();
  return failing->error;
}

// MARK: - What is rebound

static crebind_rebinding batch[BATCH] = {
    {.name = "getppid"},
    {.name = "sweep_number", .replacement = (void *)number_hook,
     .original = (void **)&original_number},
    {.name = "sweep_pending", .replacement = (void *)pending_hook,
     .original = (void **)&original_pending},
};

static void check_calls(int lower, int on_top) {
  *replacement_count = uppers = 0;
  CHECK(getppid() == parent && caller_parent() == parent && (*caller_pointer)() == parent);
  CHECK(*replacement_count == 3 * lower && uppers == 3 * on_top);
  CHECK(caller_number() == 7 + lower && sweep_number() == 7 + lower);
  CHECK((void *)replacement_next() != NULL
        && replacement_next() != (void *)slots->hooked_address);
}

static bool is_later_served(void) {
  int (*call)(void) = FIND(later, "later_pending");
  int (*const *pointer)(void) = FIND(later, "later_pointer");
  pid_t (*later_parent)(void) = FIND(later, "later_parent");
  *replacement_count = 0;
  CHECK(later_parent() == parent);
  return *replacement_count == 1 && call() == 71 && (*pointer)() == 71;
}

/// Served at the latest by the next call, where memory for the notice had run out.
static bool was_noticed;

static void check_applied(void) {
  check_calls(1, 0);
  was_noticed = true;
  if (later == NULL) {
    later = OPEN(later_path, RTLD_NOW);
    was_noticed = is_later_served();
  }
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  CHECK(is_later_served());
}

// MARK: - Verify, refresh and a load

static uintptr_t *overtaken;
static void overtake(void) {
  must_apply();
  for (size_t i = 0; i < slots->count && overtaken == NULL; i++) {
    uintptr_t *slot = (uintptr_t *)slots->addresses[i];
    if (slots->is_lazy[i] && *slot == slots->hooked_address) overtaken = slot;
  }
  CHECK(overtaken != NULL);
  *overtaken = (uintptr_t)*replacement_original;
}
/// It passes over what it cannot change, until the next call.
enum { UNSERVED = -1 };
static crebind_status refresh(void) {
  crebind_status status = crebind_refresh(NULL);
  return status != CREBIND_OK || is_later_served() ? status : (crebind_status)UNSERVED;
}

static crebind_status load(void) {
  if (later != NULL) return crebind_refresh(NULL);
  later = OPEN(later_path, RTLD_NOW);
  return is_later_served() ? CREBIND_OK : (crebind_status)UNSERVED;
}
static void check_later(void) {
  check_calls(1, 0);
  CHECK(is_later_served());
}
static void load_seen(void) {
  must_apply();
  later = OPEN(later_path, RTLD_NOW);
  CHECK(is_later_served());
}
static crebind_status close_later(void) {
  unload();
  return crebind_refresh(NULL);
}

static crebind_status look_up(void) {
  visit_word(1);
  return crebind_lookup("getppid") != NULL ? CREBIND_OK : (crebind_status)UNSERVED;
}

static void check_observed(void) {
  static struct state now;
  take(&now);
  if (added != now.image_count) CHECK(crebind_refresh(NULL) == CREBIND_OK);
  CHECK(added == now.image_count);
  later = OPEN(later_path, RTLD_NOW);
  was_noticed = added == now.image_count + 1;
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  CHECK(added == now.image_count + 1);
}
static void check_held(void) { CHECK(hold_result == NULL); }

// MARK: - Operations

/// The step that has everything as it was before a call that fails.
enum way_back {
  /// That call.
  AT_ONCE,
  /// The next call of the interface: the wrappers of dlopen and dlclose may be there still.
  BY_NEXT_CALL,
  /// That call, unless pages could not be closed: what it has restored stays so where they cannot
  /// be opened again.
  UNLESS_OPEN,
  /// Nothing: it goes on where it has stopped. But a restore that was refused has changed no slot,
  /// and its definitions alone may be restored already.
  BY_SAME_CALL,
};

/// One call of the interface, or what leads to one.
static const struct operation {
  const char *name;
  void (*prepare)(void);
  crebind_status (*run)(void);
  void (*check)(void);
  void (*finish)(void);
  /// The calls that it makes.
  unsigned makes;
  /// Those without which it can do its work.
  unsigned may_do_without;
  /// After one failure, and after one that goes on.
  enum way_back once, on;
  /// The image of the replacement stays loaded once it is done.
  bool pins;
} operations[] = {
    {"apply", nothing, apply, check_applied, restore_and_unload, EVERY, EVERY, AT_ONCE, AT_ONCE, true},
    {"apply on top", must_apply, apply_upper, check_both, must_restore_both, EVERY, MPROTECT | OPENAT | READ | MUNMAP, AT_ONCE, AT_ONCE, true},
    {"restore", must_apply, restore, check_none, nothing, EVERY, EVERY, AT_ONCE, BY_SAME_CALL, true},
    {"restore from below", must_apply_both, restore, check_upper, must_restore_upper, EVERY, EVERY, AT_ONCE, BY_SAME_CALL, true},
    {"restore on top", must_apply_both, restore_upper, check_lower, must_restore, MPROTECT | MMAP | MUNMAP, MPROTECT | MMAP | MUNMAP, AT_ONCE, UNLESS_OPEN, true},
    {"apply imports", nothing, apply_imports, check_applied, restore_imports_and_unload, EVERY, EVERY, BY_NEXT_CALL, BY_NEXT_CALL, true},
    {"restore imports", must_apply_imports, restore_imports, check_none, nothing, EVERY, EVERY, BY_SAME_CALL, BY_SAME_CALL, true},
    {"verify", overtake, verify, check_lower, must_restore, MMAP | MUNMAP, MUNMAP, AT_ONCE, AT_ONCE, true},
    {"refresh", load_unseen, refresh, check_later, restore_and_unload, MPROTECT | MMAP | MUNMAP, EVERY, BY_SAME_CALL, BY_SAME_CALL, true},
    {"dlopen", must_apply, load, check_later, restore_and_unload, MPROTECT | MMAP | MUNMAP, EVERY, BY_SAME_CALL, BY_SAME_CALL, true},
    {"dlclose", load_seen, close_later, check_lower, must_restore, MMAP | MUNMAP, EVERY, BY_SAME_CALL, BY_SAME_CALL, true},
    {"observe", nothing, observe, check_observed, unobserve, EVERY, EVERY, AT_ONCE, BY_NEXT_CALL, false},
    {"unobserve", must_observe, end_observing, nothing, nothing, MPROTECT | MMAP | OPENAT | READ | MUNMAP, EVERY, BY_SAME_CALL, BY_SAME_CALL, false},
    {"hold", prepare_hold, hold, check_held, nothing, MMAP | OPENAT | READ | MUNMAP, MMAP | OPENAT | MUNMAP, AT_ONCE, AT_ONCE, true},
    {"lookup", nothing, look_up, NULL, nothing, MMAP | MUNMAP, MUNMAP, AT_ONCE, AT_ONCE, false},
    {"plan", nothing, plan, NULL, nothing, MMAP | MREMAP | MUNMAP, MMAP | MUNMAP, AT_ONCE, AT_ONCE, false},
    {"slots", must_apply, list_slots, NULL, must_restore, MMAP | MUNMAP, MUNMAP, AT_ONCE, AT_ONCE, true},
    {"section", nothing, section, NULL, nothing, MMAP | OPENAT | READ | MUNMAP, OPENAT | MUNMAP, AT_ONCE, AT_ONCE, false},
    {"sections", nothing, list_sections, NULL, nothing, MMAP | OPENAT | READ | MUNMAP, OPENAT | MUNMAP, AT_ONCE, AT_ONCE, false},
    {"images", nothing, list_images, NULL, nothing, MMAP | MUNMAP, MMAP | MUNMAP, AT_ONCE, AT_ONCE, false},
    {"symbols", nothing, list_symbols, NULL, nothing, MMAP | MUNMAP, MUNMAP, AT_ONCE, AT_ONCE, false},
    {"image slots", nothing, list_contents, NULL, nothing, MMAP | MUNMAP, MMAP | MUNMAP, AT_ONCE, AT_ONCE, false},
    {"audit", nothing, audit, NULL, nothing, MMAP | MUNMAP, MMAP | MUNMAP, AT_ONCE, AT_ONCE, false},
    {"diagnose", nothing, diagnose, NULL, nothing, EVERY, EVERY, AT_ONCE, AT_ONCE, false},
    {"annotations", nothing, list_annotations, NULL, nothing, MMAP | OPENAT | READ | MUNMAP, MMAP | OPENAT | READ | MUNMAP, AT_ONCE, AT_ONCE, false},
    {"describe", nothing, describe, NULL, nothing, MMAP | MUNMAP, MMAP | MUNMAP, AT_ONCE, AT_ONCE, false},
    {"copies", nothing, list_copies, NULL, nothing, MMAP | MUNMAP, MUNMAP, AT_ONCE, AT_ONCE, false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/// The exit status of a child.
enum outcome { REFUSED = 10, LEFT_OPEN, STUCK, DONE, NOTICED_LATER, NO_SUCH_CALL, NO_FILTERS };

static bool is_loaded(const char *path) { return dlopen(path, RTLD_LAZY | RTLD_NOLOAD) != NULL; }

static enum outcome outcome_of(crebind_status status) {
  switch (status) {
  case CREBIND_LEFT_OPEN: return LEFT_OPEN;
  case CREBIND_NOT_TAKEN_BACK: return STUCK;
  default: return REFUSED;
  }
}

/// Checks the state after a call that has failed.
static void check_failed(const struct operation *operation, enum outcome outcome,
                         const struct state *before) {
  enum way_back way_back = goes_on ? operation->on : operation->once;
  if (outcome == REFUSED) check_slots(before, false);
  // A thread that is led to a replacement still gets behind it, and so do threads inside of it.
  CHECK(getppid() == parent && caller_parent() == parent && (*caller_pointer)() == parent);
  CHECK(!was_hooked || (*replacement_original)() == parent);
  if (outcome == STUCK) CHECK(last_error.address != 0 && last_error.system_error == failing->error);
  if (goes_straight_on) return;
  if (outcome != REFUSED || way_back == BY_NEXT_CALL) crebind_refresh(NULL);
  // Images may have been bound to the definition until then.
  if (outcome == STUCK) crebind_refresh(NULL);
  bool is_loose = way_back == BY_SAME_CALL || (way_back == UNLESS_OPEN && outcome != REFUSED);
  if (!is_loose) check_same(before, outcome == REFUSED);
}

static enum outcome try(const struct operation *operation, long number) {
  static struct state initial, before;
  take(&initial);
  operation->prepare();
  take(&before);
  granted = number;
  crebind_status status = operation->run();
  granted = -1;
  enum outcome outcome = slots->has_failed ? DONE : NO_SUCH_CALL;
  if (!slots->has_failed) CHECK(status == CREBIND_OK);
  if (status != CREBIND_OK) {
    outcome = outcome_of(status);
    check_failed(operation, outcome, &before);
    visited = 0;
    // A stuck word in a page that is open still needs no opening.
    if (goes_straight_on) granted = 0;
    CHECK(operation->run() == CREBIND_OK);
    granted = -1;
  }
  if (operation->check != NULL)
    operation->check();
  else
    check_visited(operation->run);
  if (outcome == DONE && !was_noticed) outcome = NOTICED_LATER;
  operation->finish();
  // Brings the notice in line with who needs it, if that has failed.
  CHECK(crebind_refresh(NULL) == CREBIND_OK);
  check_same(&initial, outcome != LEFT_OPEN && outcome != STUCK);
  void *image = dlopen(replacement_path, RTLD_NOW | RTLD_NOLOAD);
  dlclose(image);
  dlclose(image);
  if (operation->pins) CHECK(is_loaded(replacement_path));
  return outcome;
}

static int try_in_child(const struct operation *operation, const struct failing_call *call,
                        long number, bool on) {
  slots->has_failed = false;
  pid_t child = fork();
  if (child == 0) {
    long numbers[CALLS];
    for (size_t i = 0; i < CALLS; i++) numbers[i] = calls[i].number;
    failing = call;
    goes_on = on;
    refusal = refuse;
    was_noticed = true;
    parent = getppid();
    if (!trap_calls(numbers, CALLS)) _exit(NO_FILTERS);
    _exit(try(operation, number));
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) >= REFUSED) return WEXITSTATUS(status);
  fprintf(stderr, "%s, %s %ld %s: %s %d\n", operation->name, call->name, number,
          on ? "on" : "once", WIFEXITED(status) ? "exit" : "signal",
          WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  return 0;
}

static size_t deviations;
static long step;

static void sweep(const struct operation *operation, const struct failing_call *call, bool on) {
  size_t counts[NO_FILTERS + 1] = {0}, wrong = 0;
  long number = 0;
  for (;; number += step) {
    int outcome = try_in_child(operation, call, number, on);
    if (outcome == NO_FILTERS) {
      printf("no filters here\n");
      exit(0);
    }
    if (outcome == NO_SUCH_CALL) break;
    if (outcome == STUCK) {
      goes_straight_on = true;
      if (try_in_child(operation, call, number, on) != STUCK) outcome = 0;
      goes_straight_on = false;
    }
    counts[outcome]++;
    if (outcome == 0 && (++wrong == 10 || !slots->has_failed)) break;
  }
  deviations += wrong;
  unsigned bit = 1U << (call - calls);
  bool is_expected = ((operation->makes & bit) != 0) == (number != 0);
  // The work was done without what failed.
  if (counts[DONE] + counts[NOTICED_LATER] != 0)
    is_expected &= (operation->may_do_without & bit) != 0;
  deviations += !is_expected;
  if (number == 0 && is_expected) return;
  printf("%-18s %-8s %-4s %5ld %7zu %9zu %5zu %4zu %5zu %s\n", operation->name, call->name,
         on ? "on" : "once", number, counts[REFUSED], counts[LEFT_OPEN], counts[STUCK],
         counts[DONE], counts[NOTICED_LATER], is_expected ? "" : "not as the table says");
  fflush(stdout);
}

// MARK: - The images

static void add_slot(const crebind_slot_contents *slot, void *context) {
  (void)context;
  static const char *const names[] = {"getppid", "sweep_number", "sweep_pending", "dlopen",
                                      "dlclose", "dlsym", "dlvsym"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(slot->symbol, names[i]) == 0) {
      CHECK(slots->count < MOST_WORDS);
      strcpy(slots->names[slots->count], names[i]);
      slots->bound[slots->count] = slot->word;
      slots->addresses[slots->count++] = slot->address;
    }
}

static void add_slots(const crebind_image_contents *image, void *context) {
  (void)context;
  if (image->info.header != NULL) crebind_image_slots(image->info.header, true, add_slot, NULL, NULL);
}

/// In a child: this process has never called the core, so that its children do so first.
static void find_slots(void) {
  slots = mmap(NULL, sizeof *slots, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(slots != MAP_FAILED);
  slots->hooked_address = (uintptr_t)batch[0].replacement;
  IN_CHILD {
    CHECK(crebind_images(add_slots, NULL, NULL) == CREBIND_OK);
    // Bound are those of the program and of the libraries, too.
    CHECK(caller_parent() == getppid() && caller_number() == 7 && replacement_next() != NULL);
    CHECK(sweep_number() == 7);
    CHECK(dlclose(dlopen(replacement_path, RTLD_NOW)) == 0);
    for (size_t i = 0; i < slots->count; i++) {
      slots->is_lazy[i] = slots->bound[i] != *(const uintptr_t *)slots->addresses[i];
      slots->bound[i] = *(const uintptr_t *)slots->addresses[i];
    }
  }
  CHECK(slots->count > 8);
}

int main(int argc, char *argv[]) {
  CHECK(argc >= 5);
  step = atol(argv[4]);
  CHECK(step > 0);
  load_images(argv + 1);
  find_slots();
  // From now on all memory is asked of the kernel.
  for (size_t i = 0; i < CREBIND_POOL_CHUNKS; i++) CHECK(crebind_memory(1) != NULL);
  if (argc < 9)
    printf("%-18s %-8s %-4s %5s %7s %9s %5s %4s %5s\n", "operation", "call", "", "calls",
           "refused", "left open", "stuck", "done", "later");
  fflush(stdout);
  for (size_t o = 0; o < OPERATIONS; o++)
    for (size_t c = 0; c < CALLS; c++)
      for (int on = 0; on < 2; on++) {
        if (argc > 5 && strcmp(argv[5], operations[o].name) != 0) continue;
        if (argc > 6 && strcmp(argv[6], calls[c].name) != 0) continue;
        if (argc < 9)
          sweep(&operations[o], &calls[c], on);
        else if (strcmp(argv[8], on ? "on" : "once") == 0)
          printf("%d\n", try_in_child(&operations[o], &calls[c], atol(argv[7]), on));
      }
  if (deviations == 0) printf("nothing was lost\n");
  return deviations != 0;
}
#endif
