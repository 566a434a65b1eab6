/// Each piece of memory that a call asks for may be missing, even one that needs no system call. Each
/// time that a call looks at the images, others may have come. The call does its work, or says that it
/// could not and does all of it the next time.
///
/// Usage: lean-memory CALLER REPLACEMENT LATER OTHER ANNOTATED STEP
///          [OPERATION [LACK NUMBER once|on]]
///   The libraries of sweep.c, another one that defines what LATER defines, and one with
///   annotations. STEP: try each number that it divides.

#define _GNU_SOURCE
#include "elf/snapshot.h"
#include "storing/patch.h"
#include "steps.h"

// MARK: - What is lacking

enum lack { MEMORY, REST, LACKS };
static const char *const lacks[] = {"memory", "rest"};
static enum lack lacking;

/// How many requests are granted until one fails; -1 for all.
static long granted = -1;
static bool goes_on, has_failed;

static bool is_refused(enum lack asked) {
  if (asked != lacking || granted < 0 || granted-- > 0) return false;
  has_failed = true;
  if (goes_on) granted = 0;
  return true;
}

void *__real_crebind_vector_append(struct crebind_vector *vector, size_t count);
void *__wrap_crebind_vector_append(struct crebind_vector *vector, size_t count);
void *__wrap_crebind_vector_append(struct crebind_vector *vector, size_t count) {
  // A batch has reserved this memory for itself.
  bool is_reserved = vector->is_lent && count <= vector->capacity - vector->count;
  return !is_reserved && is_refused(MEMORY) ? NULL : __real_crebind_vector_append(vector, count);
}
size_t __real_crebind_vector_append_string(struct crebind_vector *vector, const char *string);
size_t __wrap_crebind_vector_append_string(struct crebind_vector *vector, const char *string);
size_t __wrap_crebind_vector_append_string(struct crebind_vector *vector, const char *string) {
  return is_refused(MEMORY) ? SIZE_MAX : __real_crebind_vector_append_string(vector, string);
}
void *__real_crebind_pages(size_t size);
void *__wrap_crebind_pages(size_t size);
void *__wrap_crebind_pages(size_t size) {
  return is_refused(MEMORY) ? NULL : __real_crebind_pages(size);
}

crebind_status __real_crebind_images_with_lock(struct crebind_counts counts,
                                               crebind_status (*body)(void *), void *context);
crebind_status __wrap_crebind_images_with_lock(struct crebind_counts counts,
                                               crebind_status (*body)(void *), void *context);
crebind_status __wrap_crebind_images_with_lock(struct crebind_counts counts,
                                               crebind_status (*body)(void *), void *context) {
  return is_refused(REST) ? CREBIND_BUSY : __real_crebind_images_with_lock(counts, body, context);
}
void __real_crebind_sleep(long nanoseconds);
void __wrap_crebind_sleep(long nanoseconds);
void __wrap_crebind_sleep(long nanoseconds) {
  if (lacking != REST) __real_crebind_sleep(nanoseconds);
}

/// Pages that cannot be closed, and words that cannot be taken back then.
static bool gets_stuck;
crebind_status __real_crebind_patch_close(const struct crebind_world *world,
                                          struct crebind_change *changes, size_t count,
                                          bool gives_up, struct crebind_patch_failure *failure);
crebind_status __wrap_crebind_patch_close(const struct crebind_world *world,
                                          struct crebind_change *changes, size_t count,
                                          bool gives_up, struct crebind_patch_failure *failure);
crebind_status __wrap_crebind_patch_close(const struct crebind_world *world,
                                          struct crebind_change *changes, size_t count,
                                          bool gives_up, struct crebind_patch_failure *failure) {
  if (!gets_stuck || gives_up)
    return __real_crebind_patch_close(world, changes, count, gives_up, failure);
  *failure = (struct crebind_patch_failure){ENOMEM, changes->address, 0};
  return CREBIND_LEFT_OPEN;
}
size_t __real_crebind_patch_take_back(const struct crebind_world *world,
                                      struct crebind_change *changes, size_t count);
size_t __wrap_crebind_patch_take_back(const struct crebind_world *world,
                                      struct crebind_change *changes, size_t count);
size_t __wrap_crebind_patch_take_back(const struct crebind_world *world,
                                      struct crebind_change *changes, size_t count) {
  if (!gets_stuck) return __real_crebind_patch_take_back(world, changes, count);
  size_t stuck = 0;
  for (size_t i = 0; i < count; i++) {
    changes[i].is_stuck = !changes[i].is_refused && changes[i].from != changes[i].to
                          && crebind_load_word(changes[i].address) == changes[i].to;
    stuck += changes[i].is_stuck;
  }
  return stuck;
}

// MARK: - What is rebound

static const char *later_path, *other_path, *annotated_path, *replacement_path;
static void *later, *other;
static pid_t parent;
static pid_t (*caller_parent)(void);
static int (*caller_number)(void);
static int *replacement_count;
static void *(*replacement_next)(void);
static void *(*real_dlopen)(const char *, int);
static int (*real_dlclose)(void *);
static const void *caller_header;

static int (*original_number)(void), (*original_pending)(void);
static int number_hook(void) { return original_number() + 1; }
static int pending_hook(void) { return original_pending() + 1; }
static time_t (*original_time)(time_t *);
static int times, uppers;
static time_t time_hook(time_t *place) {
  times++;
  return original_time(place);
}
static pid_t (*original_upper)(void);
static pid_t upper_hook(void) {
  uppers++;
  return original_upper();
}

static crebind_rebinding batch[] = {
    {.name = "getppid"},
    {.name = "sweep_number", .replacement = (void *)number_hook,
     .original = (void **)&original_number, .library = "libdefiner.so"},
    {.name = "sweep_pending", .replacement = (void *)pending_hook,
     .original = (void **)&original_pending},
    // Another kind of definition, where the C library has it so: an IFUNC.
    {.name = "time", .replacement = (void *)time_hook, .original = (void **)&original_time},
};
enum { BATCH = sizeof batch / sizeof *batch };
static const crebind_rebinding upper = {
    .name = "getppid", .replacement = (void *)upper_hook, .original = (void **)&original_upper};
static crebind_handle *handle, *upper_handle;

static bool matches(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  return true;
}
static const crebind_options matching = {.scope = CREBIND_SCOPE_MATCHING, .matches = matches};

static crebind_status apply(void) {
  return crebind_apply(batch, BATCH, NULL, &handle, NULL, NULL);
}
static crebind_status apply_matching(void) {
  return crebind_apply(batch, BATCH, &matching, &handle, NULL, NULL);
}
static crebind_status apply_upper(void) {
  return crebind_apply(&upper, 1, NULL, &upper_handle, NULL, NULL);
}
static crebind_error last_error;
static crebind_status restore(void) { return crebind_restore(handle, NULL, &last_error); }
static crebind_status restore_upper(void) {
  return crebind_restore(upper_handle, NULL, &last_error);
}
static void must(crebind_status status) {
  if (status != CREBIND_OK) fprintf(stderr, "status %d\n", status);
  CHECK(status == CREBIND_OK);
}
static void nothing(void) {}
static void must_apply(void) { must(apply()); }
static void must_apply_both(void) {
  must_apply();
  must(apply_upper());
}
static void must_apply_matching(void) { must(apply_matching()); }
static void must_restore(void) { must(restore()); }
static void must_restore_upper(void) { must(restore_upper()); }
static void must_restore_both(void) {
  must_restore();
  must_restore_upper();
}

static void check_calls(int lower, int on_top) {
  *replacement_count = uppers = times = 0;
  CHECK(getppid() == parent && caller_parent() == parent);
  CHECK(*replacement_count == 2 * lower && uppers == 2 * on_top);
  CHECK(caller_number() == 7 + lower);
  CHECK(time(NULL) > 0 && times == lower);
  CHECK(replacement_next() != NULL && replacement_next() != batch[0].replacement);
}
static void check_none(void) { check_calls(0, 0); }
static void check_lower(void) { check_calls(1, 0); }
static void check_upper(void) { check_calls(0, 1); }
static void check_both(void) { check_calls(1, 1); }

/// At the latest the next call serves what is loaded.
static void check_later(void) {
  if (later == NULL) later = dlopen(later_path, RTLD_NOW);
  CHECK(later != NULL);
  must(crebind_refresh(NULL));
  int (*call)(void) = (int (*)(void))dlsym(later, "later_pending");
  pid_t (*later_parent)(void) = (pid_t(*)(void))dlsym(later, "later_parent");
  *replacement_count = 0;
  CHECK(later_parent() == parent && *replacement_count == 1 && call() == 71);
}
static void check_applied(void) {
  check_lower();
  check_later();
}
static void unload(void) {
  if (later != NULL) CHECK(dlclose(later) == 0);
  later = NULL;
}
static void restore_and_unload(void) {
  must_restore();
  unload();
}

static void load_unseen(void) {
  must_apply();
  later = real_dlopen(later_path, RTLD_NOW);
}
static void load_matching_unseen(void) {
  must_apply_matching();
  later = real_dlopen(later_path, RTLD_NOW);
}
static void unload_unseen(void) {
  must_apply_both();
  check_later();
  CHECK(real_dlclose(later) == 0);
  later = NULL;
}
static crebind_status refresh(void) { return crebind_refresh(NULL); }
static crebind_status load(void) {
  if (later == NULL) later = dlopen(later_path, RTLD_NOW);
  CHECK(later != NULL);
  return crebind_refresh(NULL);
}
static crebind_status verify(void) { return crebind_verify(handle, NULL, NULL); }

// MARK: - Stuck words

static void get_stuck(void) {
  gets_stuck = true;
  CHECK(apply() == CREBIND_NOT_TAKEN_BACK);
  gets_stuck = false;
}
static void get_stuck_and_load(void) {
  get_stuck();
  later = real_dlopen(later_path, RTLD_NOW);
}
static void get_stuck_on_top(void) {
  must(apply_upper());
  get_stuck();
}
static void get_stuck_and_refresh(void) {
  get_stuck();
  must(crebind_refresh(NULL));
}
/// A call that does its own work gives back what it can; what is left is the next one's.
static void check_given_back(void) {
  must(crebind_refresh(NULL));
  check_none();
}
static void check_given_back_and_unload(void) {
  check_given_back();
  unload();
}
static void check_applied_again(void) {
  must(crebind_refresh(NULL));
  check_lower();
}

// MARK: - Two local definers

static int (*original_top)(void);
static int top_hook(void) { return original_top() + 100; }
static const crebind_rebinding top = {.name = "sweep_pending", .replacement = (void *)top_hook,
                                      .original = (void **)&original_top};
static crebind_handle *top_handle;

static int call_pending(void *image) { return ((int (*)(void))dlsym(image, "later_pending"))(); }
static void open_first(void) {
  must_apply();
  must(crebind_apply(&top, 1, NULL, &top_handle, NULL, NULL));
  CHECK((later = dlopen(later_path, RTLD_NOW)) != NULL);
  must(crebind_refresh(NULL));
  CHECK(call_pending(later) == 171);
}
static crebind_status open_second(void) {
  if (other == NULL) CHECK((other = dlopen(other_path, RTLD_NOW)) != NULL);
  return crebind_refresh(NULL);
}
static void open_both(void) {
  open_first();
  must(open_second());
}
static crebind_status restore_top(void) { return crebind_restore(top_handle, NULL, &last_error); }
static crebind_status close_second(void) {
  if (other != NULL) CHECK(dlclose(other) == 0);
  other = NULL;
  return crebind_refresh(NULL);
}
static crebind_status close_first(void) {
  unload();
  return crebind_refresh(NULL);
}
/// The first definer's calls are led to us as before.
static void check_first(void) { CHECK(call_pending(later) == 171); }
static void check_top_gone(void) { CHECK(call_pending(later) == 71); }
static void close_both(void) {
  must_restore();
  if (later != NULL) CHECK(call_pending(later) == 70);
  unload();
  must(close_second());
}
static void restore_all(void) {
  must(restore_top());
  close_both();
}

// MARK: - fishhook

static void *fishhook_original;
static struct rebinding fishhook = {"sweep_number", (void *)number_hook, &fishhook_original};
static crebind_status of_fishhook(int result) {
  CHECK(result == 0 || errno == ENOMEM || errno == EAGAIN);
  original_number = (int (*)(void))fishhook_original;
  return result == 0 ? CREBIND_OK : errno == ENOMEM ? CREBIND_OUT_OF_MEMORY : CREBIND_BUSY;
}
static crebind_status rebind(void) { return of_fishhook(rebind_symbols(&fishhook, 1)); }
static crebind_status rebind_image(void) {
  return of_fishhook(rebind_symbols_image((void *)caller_header,
                                          (intptr_t)caller_header, &fishhook, 1));
}
static void check_fishhook(void) { CHECK(caller_number() == 8); }

// MARK: - Observers and holds

static int added, removed;
static void count_added(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  added++;
}
static void count_removed(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  removed++;
}
static crebind_observation *observation;
static const crebind_image_observer observer = {.added = count_added, .removed = count_removed};
static crebind_status observe(void) { return crebind_observe(&observer, &observation, NULL); }
static void must_observe(void) {
  must(observe());
  added = 0;
}
static void unobserve(void) { crebind_unobserve(observation); }
static crebind_status end_observing(void) {
  if (observation != NULL) crebind_unobserve(observation);
  observation = NULL;
  return crebind_refresh(NULL);
}
static void check_told(void) {
  CHECK(crebind_refresh(NULL) == CREBIND_OK && added == 1 && removed == 0);
  unload();
  CHECK(crebind_refresh(NULL) == CREBIND_OK && added == 1 && removed == 1);
}

static crebind_image_contents held;
static crebind_image_hold *hold_result;
static void find_held(const crebind_image_contents *image, void *context) {
  (void)context;
  if (strcmp(image->info.path, replacement_path) == 0) held = *image;
}
static void find_hold(void) { must(crebind_images(find_held, NULL, NULL)); }
static crebind_status hold(void) {
  return crebind_hold_image(held.info.header, held.dynamic, held.generation, &hold_result, NULL);
}
static void release(void) {
  if (hold_result != NULL) crebind_release_image(hold_result);
}

// MARK: - Looks

static unsigned visits;
static void visit_slot(const crebind_slot_info *slot, void *context) {
  (void)slot, (void)context;
  visits++;
}
static void visit_section(const crebind_section *section, void *context) {
  (void)section, (void)context;
  visits++;
}
static void visit_image(const crebind_image_contents *image, void *context) {
  (void)image, (void)context;
  visits++;
}
static void visit_symbol(const crebind_symbol_info *symbol, void *context) {
  (void)symbol, (void)context;
  visits++;
}
static void visit_contents(const crebind_slot_contents *slot, void *context) {
  (void)slot, (void)context;
  visits++;
}
static void visit_finding(const crebind_finding *finding, void *context) {
  (void)finding, (void)context;
  visits++;
}
static void visit_diagnosis(const crebind_diagnosis *diagnosis, void *context) {
  (void)context;
  // Reasons of files that cannot be read are none of the next look's.
  visits += diagnosis->reason != CREBIND_REASON_MAY_BE_INSIDE;
}
static void visit_annotation(const crebind_annotation *annotation, void *context) {
  (void)annotation, (void)context;
  visits++;
}
static void visit_target(const crebind_target *target, void *context) {
  (void)target, (void)context;
  visits++;
}
static void visit_copy(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  visits++;
}
static void visit_text(const char *text, void *context) {
  (void)context;
  visits += text[0] != 0;
}

static crebind_status plan(void) {
  return crebind_plan(batch, BATCH, NULL, visit_slot, NULL, NULL);
}
static crebind_status slots(void) { return crebind_slots(handle, visit_slot, NULL, NULL); }
static crebind_status section(void) {
  return crebind_section_data(caller_header, "sweep_section", visit_section, NULL, NULL);
}
static crebind_status sections(void) {
  return crebind_sections(caller_header, visit_section, NULL, NULL);
}
static crebind_status images(void) { return crebind_images(visit_image, NULL, NULL); }
static crebind_status symbols(void) {
  return crebind_symbols(caller_header, NULL, visit_symbol, NULL, NULL);
}
static crebind_status image_slots(void) {
  return crebind_image_slots(caller_header, visit_contents, NULL, NULL);
}
static crebind_status audit(void) { return crebind_audit(visit_finding, NULL, NULL); }
static crebind_status diagnose(const char *name, const char *version, const char *library) {
  const crebind_rebinding rebinding = {.name = name, .version = version, .library = library};
  return crebind_diagnose(&rebinding, NULL, visit_diagnosis, NULL, NULL);
}
static crebind_status diagnose_import(void) { return diagnose("getppid", NULL, NULL); }
static crebind_status diagnose_own(void) { return diagnose("visit_finding", NULL, NULL); }
static crebind_status diagnose_similar(void) { return diagnose("getpppid", NULL, NULL); }
static crebind_status diagnose_version(void) { return diagnose("getppid", "V9", "libnone.so"); }
static crebind_status explain(void) {
  const crebind_rebinding rebinding = {.name = "getpppid"};
  return crebind_explain(&rebinding, &matching, visit_text, NULL, NULL);
}
static crebind_status other_names(void) {
  return crebind_other_names("open", (crebind_name_visitor *)visit_text, NULL);
}
static crebind_status annotations(void) {
  return crebind_annotations(NULL, visit_annotation, NULL, NULL);
}
static void annotate(void) { CHECK((later = dlopen(annotated_path, RTLD_NOW)) != NULL); }
static crebind_status describe(void) {
  return crebind_describe_address((uintptr_t)caller_parent, visit_target, NULL, NULL);
}
static crebind_status copies(void) { return crebind_copies(visit_copy, NULL, NULL); }
static crebind_status look_up(void) {
  visits++;
  if (crebind_lookup("getppid") != NULL) return CREBIND_OK;
  return lacking == MEMORY ? CREBIND_OUT_OF_MEMORY : CREBIND_BUSY;
}
static crebind_status find_image(void) {
  visits++;
  return crebind_image_containing((const void *)caller_parent) == caller_header
             ? CREBIND_OK
             : CREBIND_OUT_OF_MEMORY;
}

// MARK: - Operations

static const struct operation {
  const char *name;
  void (*prepare)(void);
  crebind_status (*run)(void);
  /// NULL: a look, which the next one repeats.
  void (*check)(void);
  void (*finish)(void);
} operations[] = {
    {"apply", nothing, apply, check_applied, restore_and_unload},
    {"apply where it matches", nothing, apply_matching, check_applied, restore_and_unload},
    {"apply on top", must_apply, apply_upper, check_both, must_restore_both},
    {"restore", must_apply, restore, check_none, nothing},
    {"restore where it matches", must_apply_matching, restore, check_none, nothing},
    {"restore from below", must_apply_both, restore, check_upper, must_restore_upper},
    {"restore on top", must_apply_both, restore_upper, check_lower, must_restore},
    {"verify", must_apply, verify, check_lower, must_restore},
    {"refresh", load_unseen, refresh, check_later, restore_and_unload},
    {"refresh where it matches", load_matching_unseen, refresh, check_later, restore_and_unload},
    {"refresh after dlclose", unload_unseen, refresh, check_both, must_restore_both},
    {"dlopen", must_apply, load, check_later, restore_and_unload},
    {"refresh after being stuck", get_stuck, refresh, check_given_back, nothing},
    {"refresh with a stuck image", get_stuck_and_load, refresh, check_given_back_and_unload,
     nothing},
    {"apply after being stuck", get_stuck, apply, check_applied_again, must_restore},
    {"apply after giving back", get_stuck_and_refresh, apply, check_applied_again, must_restore},
    {"restore after being stuck", get_stuck_on_top, restore_upper, check_given_back, nothing},
    {"dlopen of another definer", open_first, open_second, check_first, restore_all},
    {"dlclose of another definer", open_both, close_second, check_first, restore_all},
    {"dlclose of the first definer", open_both, close_first, nothing, restore_all},
    {"restore beside another definer", open_both, restore_top, check_top_gone, close_both},
    {"observe", nothing, observe, nothing, unobserve},
    {"dlopen while observing", must_observe, load, check_told, unobserve},
    {"unobserve", must_observe, end_observing, nothing, nothing},
    {"hold", find_hold, hold, nothing, release},
    {"rebind_symbols", nothing, rebind, check_fishhook, nothing},
    {"rebind_symbols_image", nothing, rebind_image, check_fishhook, nothing},
    {"plan", nothing, plan, NULL, nothing},
    {"slots", must_apply, slots, NULL, must_restore},
    {"section", nothing, section, NULL, nothing},
    {"sections", nothing, sections, NULL, nothing},
    {"images", nothing, images, NULL, nothing},
    {"symbols", nothing, symbols, NULL, nothing},
    {"image slots", nothing, image_slots, NULL, nothing},
    {"audit", must_apply, audit, NULL, must_restore},
    {"diagnose an import", nothing, diagnose_import, NULL, nothing},
    {"diagnose an own function", nothing, diagnose_own, NULL, nothing},
    {"diagnose a similar name", nothing, diagnose_similar, NULL, nothing},
    {"diagnose a version", nothing, diagnose_version, NULL, nothing},
    {"explain", nothing, explain, NULL, nothing},
    {"other names", nothing, other_names, NULL, nothing},
    {"annotations", annotate, annotations, NULL, unload},
    {"describe", nothing, describe, NULL, nothing},
    {"copies", nothing, copies, NULL, nothing},
    {"look up", nothing, look_up, NULL, nothing},
    {"find an image", nothing, find_image, NULL, nothing},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/// The exit status of a child.
enum { DONE = 10, REFUSED, NO_SUCH_REQUEST };

static int try(const struct operation *operation, long number) {
  operation->prepare();
  visits = 0;
  granted = number;
  crebind_status status = operation->run();
  granted = -1;
  if (!has_failed) must(status);
  if (status != CREBIND_OK) {
    // A page of symbols is changed by a copy of it.
    bool is_copy = status == CREBIND_PROTECTION && last_error.system_error == ENOMEM;
    crebind_status expected = lacking == MEMORY ? CREBIND_OUT_OF_MEMORY : CREBIND_BUSY;
    // A function of the loader that is not found counts as lacking memory.
    bool is_expected = status == expected || is_copy || status == CREBIND_OUT_OF_MEMORY;
    if (!is_expected) fprintf(stderr, "status %d\n", status);
    CHECK(is_expected);
    visits = 0;
    must(operation->run());
  }
  if (operation->check != NULL) {
    operation->check();
  } else {
    unsigned former = visits;
    visits = 0;
    must(operation->run());
    // One that succeeds has seen all.
    CHECK(visits == former);
  }
  operation->finish();
  must(crebind_refresh(NULL));
  return !has_failed ? NO_SUCH_REQUEST : status == CREBIND_OK ? DONE : REFUSED;
}

static int try_in_child(const struct operation *operation, enum lack lack, long number, bool on) {
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    lacking = lack;
    goes_on = on;
    parent = getppid();
    _exit(try(operation, number));
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) >= DONE) return WEXITSTATUS(status);
  fprintf(stderr, "%s %s %ld %s: %s %d\n", operation->name, lacks[lack], number,
          on ? "on" : "once", WIFEXITED(status) ? "exit" : "signal",
          WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  return 0;
}

static void load_images(char *paths[]) {
  void *caller = dlopen(paths[0], RTLD_LAZY), *replacements = dlopen(paths[1], RTLD_NOW);
  CHECK(caller != NULL && replacements != NULL);
  replacement_path = paths[1];
  later_path = paths[2];
  other_path = paths[3];
  annotated_path = paths[4];
  caller_parent = (pid_t(*)(void))dlsym(caller, "caller_parent");
  caller_number = (int (*)(void))dlsym(caller, "caller_number");
  replacement_count = dlsym(replacements, "replacement_count");
  replacement_next = (void *(*)(void))dlsym(replacements, "replacement_next");
  real_dlopen = (void *(*)(const char *, int))dlsym(RTLD_DEFAULT, "dlopen");
  real_dlclose = (int (*)(void *))dlsym(RTLD_DEFAULT, "dlclose");
  batch[0].replacement = dlsym(replacements, "replacement");
  batch[0].original = dlsym(replacements, "replacement_original");
  Dl_info info;
  CHECK(dladdr((void *)caller_parent, &info) != 0);
  caller_header = info.dli_fbase;
}

int main(int argc, char *argv[]) {
  CHECK(argc >= 7);
  long step = atol(argv[6]);
  CHECK(step > 0);
  load_images(argv + 1);
  int deviations = 0;
  for (size_t i = 0; i < OPERATIONS * LACKS * 2; i++) {
    const struct operation *operation = &operations[i / 2 / LACKS];
    enum lack lack = i / 2 % LACKS;
    bool on = i % 2 != 0;
    if (argc > 7 && strcmp(argv[7], operation->name) != 0) continue;
    if (argc > 10) {
      if (strcmp(argv[8], lacks[lack]) == 0 && strcmp(argv[10], on ? "on" : "once") == 0)
        printf("%d\n", try_in_child(operation, lack, atol(argv[9]), on));
      continue;
    }
    long refused = 0, wrong = 0, number = 0;
    for (int outcome = DONE; wrong < 5; number += step) {
      outcome = try_in_child(operation, lack, number, on);
      if (outcome == NO_SUCH_REQUEST) break;
      refused += outcome == REFUSED;
      wrong += outcome == 0;
    }
    deviations += wrong != 0;
    // Each asks for memory.
    CHECK(lack != MEMORY || number != 0);
    if (number == 0) continue;
    printf("%-30s %-6s %-4s %5ld %7ld\n", operation->name, lacks[lack], on ? "on" : "once", number,
           refused);
    fflush(stdout);
  }
  if (deviations == 0) printf("nothing was lost\n");
  return deviations != 0;
}
