/// The calls that sweep.c and lean-memory.c make, with the libraries of sweep.c: they rebind, look, observe
/// and hold, while calls or memory fail them. The includer says how many rebindings the batch has.

#include "steps.h"

static const char *later_path, *replacement_path;
static void *later;
static pid_t (*caller_parent)(void);
static int (*caller_number)(void);
static pid_t (*const *caller_pointer)(void);
static int *replacement_count;
static pid_t (**replacement_original)(void);
static void *(*replacement_next)(void);
static void *(*real_dlopen)(const char *, int);
static const void *caller_header, *replacement_header;
static pid_t parent;

static void must(crebind_status status) {
  if (status != CREBIND_OK) fprintf(stderr, "status %d\n", status);
  CHECK(status == CREBIND_OK);
}
static void nothing(void) {}

// MARK: - What is rebound

/// The first one is of `getppid`, with the functions of REPLACEMENT.
static crebind_rebinding batch[BATCH];
static int (*original_number)(void), (*original_pending)(void);
static int number_hook(void) { return original_number() + 1; }
static int pending_hook(void) { return original_pending() + 1; }
static int uppers;
static pid_t (*original_upper)(void);
static pid_t upper_hook(void) {
  uppers++;
  return original_upper();
}
static const crebind_rebinding upper = {
    .name = "getppid", .replacement = (void *)upper_hook, .original = (void **)&original_upper};
static crebind_handle *handle, *upper_handle;
static crebind_error last_error;

static crebind_status apply(void) {
  return crebind_apply(batch, BATCH, NULL, &handle, NULL, &last_error);
}

/// The batch again, by the question for each import.
static void (*in_question)(void) = nothing;
static void choose(const crebind_import *import, crebind_import_choice *choice, void *context) {
  (void)context;
  in_question();
  for (size_t i = 0; i < BATCH; i++) {
    if (strcmp(batch[i].name, import->name) != 0) continue;
    choice->replacement = batch[i].replacement;
    choice->original = batch[i].original;
  }
}
static crebind_imports *imports;
static crebind_status apply_imports(void) {
  return crebind_apply_imports(choose, NULL, NULL, &imports, NULL, &last_error);
}
static void must_apply_imports(void) { must(apply_imports()); }
static crebind_status restore_imports(void) {
  return crebind_restore_imports(imports, NULL, &last_error);
}

static crebind_status apply_upper(void) {
  return crebind_apply(&upper, 1, NULL, &upper_handle, NULL, &last_error);
}
static crebind_status restore(void) { return crebind_restore(handle, NULL, &last_error); }
static crebind_status restore_upper(void) {
  return crebind_restore(upper_handle, NULL, &last_error);
}
static crebind_status verify(void) { return crebind_verify(handle, NULL, NULL); }
static void must_apply(void) { must(apply()); }
static void must_apply_both(void) {
  must_apply();
  must(apply_upper());
}
static void must_restore(void) { must(restore()); }
static void must_restore_upper(void) { must(restore_upper()); }
static void must_restore_both(void) {
  must_restore();
  must_restore_upper();
}

/// Of the includer: which hooks run.
static void check_calls(int lower, int on_top);
static void check_none(void) { check_calls(0, 0); }
static void check_lower(void) { check_calls(1, 0); }
static void check_upper(void) { check_calls(0, 1); }
static void check_both(void) { check_calls(1, 1); }

static void load_unseen(void) {
  must_apply();
  CHECK((later = real_dlopen(later_path, RTLD_NOW)) != NULL);
}
static void unload(void) {
  if (later != NULL) CHECK(dlclose(later) == 0);
  later = NULL;
}
static void restore_imports_and_unload(void) {
  must(restore_imports());
  unload();
}
static void restore_and_unload(void) {
  must_restore();
  unload();
}

// MARK: - Observers and holds

static size_t added, removed;
/// The image that an observer was told last.
static char told[PATH_MAX];
static void count_added(const crebind_image_info *image, void *context) {
  (void)context;
  added++;
  snprintf(told, sizeof told, "%s", image->path);
}
static void count_removed(const crebind_image_info *image, void *context) {
  (void)image, (void)context;
  removed++;
}
static crebind_observation *observation;
static crebind_status observe(void) {
  const crebind_image_observer observer = {.added = count_added, .removed = count_removed};
  added = removed = 0;
  return crebind_observe(&observer, &observation, NULL);
}
static void must_observe(void) {
  must(observe());
  added = 0;
}
static void unobserve(void) {
  crebind_unobserve(observation);
  unload();
}
static crebind_status end_observing(void) {
  if (observation != NULL) crebind_unobserve(observation);
  observation = NULL;
  return crebind_refresh(NULL);
}

static crebind_image_contents held;
static crebind_image_hold *hold_result;
static void find_held(const crebind_image_contents *image, void *context) {
  (void)context;
  if (image->info.header == replacement_header) held = *image;
}
static void prepare_hold(void) { must(crebind_images(find_held, NULL, NULL)); }
static crebind_status hold(void) {
  return crebind_hold_image(held.info.header, held.dynamic, held.generation, &hold_result, NULL);
}

// MARK: - Looks

/// The words that a look has visited.
static uint64_t visited;

static void visit_word(uint64_t word) { visited = (visited ^ word) * 0x9e3779b97f4a7c15 + 1; }
static void visit_string(const char *string) {
  for (; *string != 0; string++) visit_word((uint64_t)*string);
}
/// Defines a visitor of things of the type, which are called `it`.
#define VISITOR(name, type, visit)                  \
  static void name(const type *it, void *context) { \
    (void)context;                                  \
    visit;                                          \
  }
VISITOR(visit_slot, crebind_slot_info, visit_word(it->address))
VISITOR(visit_section, crebind_section, visit_string(it->name); visit_word(it->size))
VISITOR(visit_image, crebind_image_contents, visit_string(it->info.path))
VISITOR(visit_symbol, crebind_symbol_info, visit_string(it->name))
VISITOR(visit_contents, crebind_slot_contents, visit_word(it->address))
VISITOR(visit_finding, crebind_finding, visit_word(it->slot.address))
// Reasons of files that cannot be read are none of the next look's.
VISITOR(visit_diagnosis, crebind_diagnosis,
        if (it->reason != CREBIND_REASON_MAY_BE_INSIDE) visit_word(it->reason))
VISITOR(visit_annotation, crebind_annotation, visit_word(it->section))
VISITOR(visit_target, crebind_target, visit_word(it->address))
VISITOR(visit_copy, crebind_image_info, visit_string(it->path))

/// Defines a look: a function that makes this call.
#define LOOK(name, call) \
  static crebind_status name(void) { return call; }
LOOK(plan, crebind_plan(batch, BATCH, NULL, visit_slot, NULL, NULL))
LOOK(list_slots, crebind_slots(handle, visit_slot, NULL, NULL))
LOOK(section, crebind_section_data(caller_header, "sweep_section", visit_section, NULL, NULL))
LOOK(list_sections, crebind_sections(caller_header, visit_section, NULL, NULL))
LOOK(list_images, crebind_images(visit_image, NULL, NULL))
LOOK(list_symbols, crebind_symbols(caller_header, NULL, visit_symbol, NULL, NULL))
LOOK(list_contents, crebind_image_slots(caller_header, true, visit_contents, NULL, NULL))
LOOK(audit, crebind_audit(visit_finding, NULL, NULL))
LOOK(diagnose, crebind_diagnose(&upper, NULL, visit_diagnosis, NULL, NULL))
LOOK(list_annotations, crebind_annotations(NULL, visit_annotation, NULL, NULL))
LOOK(describe,
     crebind_describe_address((uintptr_t)caller_parent, visit_target, NULL, NULL))
LOOK(list_copies, crebind_copies(visit_copy, NULL, NULL))

/// The first look that succeeds has visited what the next one visits.
static void check_visited(crebind_status (*look)(void)) {
  uint64_t before = visited;
  visited = 0;
  must(look());
  CHECK(visited == before);
}

// MARK: - The images

/// \param paths Of CALLER, REPLACEMENT and LATER.
static void load_images(char *paths[]) {
  void *caller = OPEN(paths[0], RTLD_LAZY), *replacements = OPEN(paths[1], RTLD_NOW);
  replacement_path = paths[1];
  later_path = paths[2];
  caller_parent = FIND(caller, "caller_parent");
  caller_number = FIND(caller, "caller_number");
  caller_pointer = FIND(caller, "caller_pointer");
  replacement_count = FIND(replacements, "replacement_count");
  replacement_original = FIND(replacements, "replacement_original");
  replacement_next = FIND(replacements, "replacement_next");
  real_dlopen = (void *(*)(const char *, int))dlsym(RTLD_DEFAULT, "dlopen");
  batch[0].replacement = FIND(replacements, "replacement");
  batch[0].original = (void **)replacement_original;
  caller_header = header_of((void *)caller_parent);
  replacement_header = header_of(replacement_original);
}
