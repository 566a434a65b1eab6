/// Points slots at the counters, and says which functions cannot be counted so.
///
/// The slots stay so when nobody counts any more, because most programs count again. Until then, a counter
/// goes straight on to the original.
///
/// A function is not counted if the program defines it itself, because its own calls go through no slot
/// then. It is not counted either if images call different functions of that name, because the counter
/// goes on to only one of them. In all other cases, no slot means no call.
///
/// An image may define a function and call its own definition, while other images call another one's.
/// Its slot is left alone: such a call stays inside the image, like calls without a slot.

#if defined(__linux__)
#define _GNU_SOURCE

#include "counters.h"
#include "functions.h"
#include "lock.h"

#include <CRebind.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/// Why a function is not counted, and whether anything could call it. Guarded by the lock.
typedef struct finding {
  bool is_absent, is_known;
  char reason[CREBIND_COUNTING_REASON_SIZE];
} finding;

static finding findings[CREBIND_COUNTING_FUNCTION_COUNT];
static finding of_sizes;

/// The findings about a group, and the slots that lead to its counters. Guarded by the lock.
typedef struct installation {
  unsigned users;
  crebind_handle *handle;
  /// The findings are of the images and the slots that were noted.
  bool is_judged;
  crebind_reach_kept_slots slots;
  /// The words that the batch has left alone.
  size_t skipped;
} installation;

static installation groups[CREBIND_COUNTING_GROUP_COUNT];

static void refuse(finding *finding, const char *reason) {
  finding->is_absent = true;
  snprintf(finding->reason, sizeof finding->reason, "%s", reason);
}

// MARK: - What an original is

/// The program's ELF header.
static const void *program(void) {
  return crebind_image_containing((const void *)getauxval(AT_PHDR));
}

/// The image that has the counters. If no image has them, they are in a static executable.
static const void *own_image(void) { return crebind_image_containing((const void *)findings); }

/// An address in Swift's runtime; NULL while nobody has told one.
static const void *_Atomic runtime;

void crebind_counting_set_runtime(const void *address) { runtime = address; }

/// Whether the counted code has Swift's runtime in its own image. Another image, a plug-in, may call the
/// functions of a libswiftCore through slots all the same: their number alone would mislead.
static bool has_own_runtime(crebind_counting_group group) {
  if (group == CREBIND_COUNTING_MEMORY || group == CREBIND_COUNTING_MAPPINGS) return false;
  return runtime != NULL && crebind_image_containing(runtime) == own_image();
}

static void see_text(const char *text, void *context) { refuse(context, text); }

/// The batch of a group, and what the core would do with it.
typedef struct survey {
  size_t count;
  crebind_rebinding rebindings[CREBIND_COUNTING_FUNCTION_COUNT];
  crebind_counting_function functions[CREBIND_COUNTING_FUNCTION_COUNT];
  /// The original of the first slot, and that of the images that call their own definition; NULL
  /// for none.
  const void *originals[CREBIND_COUNTING_FUNCTION_COUNT];
  const void *own_originals[CREBIND_COUNTING_FUNCTION_COUNT];
  /// The paths of libraries; "" for none.
  char libraries[CREBIND_COUNTING_FUNCTION_COUNT][1024];
} survey;

static void see_slot(const crebind_slot_info *slot, void *context) {
  survey *survey = context;
  bool is_own = crebind_image_containing(slot->original) == slot->image.header;
  const void **original =
      is_own ? &survey->own_originals[slot->rebinding] : &survey->originals[slot->rebinding];
  finding *finding = &findings[survey->functions[slot->rebinding]];
  finding->is_known = true;
  if (*original == NULL) *original = slot->original;
  else if (*original != slot->original)
    refuse(finding, "images call different functions of that name");
}

static void see_bypass(const crebind_diagnosis *diagnosis, void *context) {
  if (diagnosis->reason == CREBIND_REASON_BYPASSED)
    refuse(context, crebind_reason_description(CREBIND_REASON_BYPASSED));
}

static void see_library(const crebind_target *target, void *context) {
  snprintf(context, sizeof((survey *)NULL)->libraries[0], "%s", target->image.path);
}

/// Leaves out the images that call a function of their own.
static void select_library(survey *survey, size_t index) {
  const void *original = survey->originals[index], *own = survey->own_originals[index];
  if (own == NULL || original == NULL || own == original) return;
  crebind_describe_address((uintptr_t)original, see_library, survey->libraries[index], NULL);
  survey->rebindings[index].library = survey->libraries[index];
}

static void judge(survey *survey, size_t index) {
  finding *finding = &findings[survey->functions[index]];
  if (finding->is_absent) return;
  const crebind_rebinding *rebinding = &survey->rebindings[index];
  void *definition = crebind_lookup(rebinding->name);
  if (definition == NULL) {
    refuse(finding, "no loaded image defines it");
    // Reads the images' files, which takes a while. Nobody asks for the reason of the others.
    if (crebind_counting_is_principal(survey->functions[index]))
      crebind_explain(rebinding, NULL, see_text, finding, NULL);
    return;
  }
  finding->is_known = true;
  if (crebind_image_containing(definition) == program())
    refuse(finding, "the program defines it itself, and its own calls go through no slot");
  select_library(survey, index);
}

/// Leaves out of the batch what cannot be counted.
static void drop_absent(survey *survey) {
  size_t kept = 0;
  for (size_t i = 0; i < survey->count; i++) {
    if (findings[survey->functions[i]].is_absent) continue;
    survey->rebindings[kept] = survey->rebindings[i];
    survey->functions[kept++] = survey->functions[i];
  }
  survey->count = kept;
}

/// The sizes of blocks are known if the allocator that is counted tells them.
static void find_sizes(void) {
  crebind_counting_usable_size = crebind_counting_no_size;
  of_sizes.is_absent = false;
  if (findings[CREBIND_COUNTING_MALLOC].is_absent) {
    refuse(&of_sizes, findings[CREBIND_COUNTING_MALLOC].reason);
    return;
  }
  void *sizes = crebind_lookup("malloc_usable_size"), *malloc = crebind_lookup("malloc");
  if (sizes == NULL || crebind_image_containing(sizes) != crebind_image_containing(malloc))
    refuse(&of_sizes, "the allocator has no malloc_usable_size");
  else crebind_counting_usable_size = (size_t (*)(void *))sizes;
}

// MARK: - Install

/// A status that says why nothing of a group can be counted, rather than that something is wrong.
static bool is_reason(crebind_status status) {
  return status == CREBIND_STATIC_EXECUTABLE || status == CREBIND_SEALED;
}

static void refuse_group(crebind_counting_group group, const char *reason) {
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++)
    if (crebind_counting_group_of((crebind_counting_function)i) == group) refuse(&findings[i], reason);
}

static const char *reason_of(crebind_status status) {
  return status == CREBIND_STATIC_EXECUTABLE
             ? "the program is a static executable (-static, -static-executable, or Swift's static "
               "Linux SDK), so its calls go through no slot"
             : crebind_status_description(status);
}

static void refuse_own_runtime(crebind_counting_group group) {
  const char *image = own_image() == program() ? "the program" : "the library that counts";
  char reason[CREBIND_COUNTING_REASON_SIZE];
  snprintf(reason, sizeof reason,
           "%s is linked with -static-stdlib: it has Swift's runtime in it, whose functions it calls "
           "through no slot",
           image);
  refuse_group(group, reason);
}

static void begin_survey(survey *survey, crebind_counting_group group) {
  survey->count = 0;
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++) {
    crebind_counting_function function = (crebind_counting_function)i;
    if (crebind_counting_group_of(function) != group) continue;
    findings[i] = (finding){.is_absent = false};
    survey->originals[survey->count] = survey->own_originals[survey->count] = NULL;
    survey->functions[survey->count] = function;
    survey->rebindings[survey->count++] =
        (crebind_rebinding){.name = crebind_counting_name(function),
                            .replacement = crebind_counting_counters[i],
                            .original = &crebind_counting_originals[i]};
  }
}

static void note_slot(const crebind_slot_info *slot, void *context) {
  crebind_reach_note_slot(context, slot->address, slot->value);
}

static crebind_status apply(crebind_counting_group group) {
  // Guarded by the lock, like everything here.
  static survey survey;
  installation *installation = &groups[group];
  installation->is_judged = true;
  installation->skipped = 0;
  crebind_reach_note_images(&installation->slots);
  begin_survey(&survey, group);
  crebind_status status =
      crebind_plan(survey.rebindings, survey.count, NULL, see_slot, &survey, NULL);
  if (status != CREBIND_OK) return status;
  if (has_own_runtime(group)) refuse_own_runtime(group);
  for (size_t i = 0; i < survey.count; i++) judge(&survey, i);
  drop_absent(&survey);
  if (group == CREBIND_COUNTING_MEMORY) find_sizes();
  if (survey.count == 0) return CREBIND_OK;
  // Somebody else's hook may have kept a former one from being restored.
  crebind_handle *covered = installation->handle;
  crebind_report report;
  status =
      crebind_apply(survey.rebindings, survey.count, NULL, &installation->handle, &report, NULL);
  if (status != CREBIND_OK) return status;
  if (covered != NULL) crebind_restore(covered, NULL, NULL);
  installation->skipped = report.skipped;
  if (crebind_slots(installation->handle, note_slot, &installation->slots, NULL) != CREBIND_OK)
    installation->is_judged = false;
  for (size_t i = 0; report.bypassed > 0 && i < survey.count; i++)
    crebind_diagnose(&survey.rebindings[i], NULL, see_bypass, &findings[survey.functions[i]], NULL);
  return CREBIND_OK;
}

/// True if calls still lead to the counters, because the findings still hold: the images are the same,
/// and nobody has taken a slot away. If somebody has laid another batch of this copy of CRebind on a
/// word, the word leads there through that batch.
static bool is_installed(installation *installation) {
  if (!installation->is_judged) return false;
  crebind_reach_change change = crebind_reach_find_change(&installation->slots);
  crebind_report report;
  return change == CREBIND_REACH_UNCHANGED
         || (change == CREBIND_REACH_WORDS_CHANGED
             && crebind_verify(installation->handle, &report, NULL) == CREBIND_OK
             && report.skipped <= installation->skipped);
}

/// Gives the slots back before they are judged anew.
static void give_back(installation *installation) {
  installation->is_judged = false;
  if (installation->handle == NULL) return;
  if (crebind_restore(installation->handle, NULL, NULL) == CREBIND_OK) installation->handle = NULL;
}

static void set_counted(crebind_counting_group group, bool is_counted) {
  for (int i = 0; i < CREBIND_COUNTING_FUNCTION_COUNT; i++)
    if (crebind_counting_group_of((crebind_counting_function)i) == group)
      crebind_counting_is_counted[i] = is_counted;
}

int crebind_counting_install(crebind_counting_group group) {
  crebind_status status = CREBIND_OK;
  crebind_reach_this_thread.suppressed++;
  crebind_counting_lock();
  if (groups[group].users == 0 && !is_installed(&groups[group])) {
    give_back(&groups[group]);
    status = apply(group);
    if (is_reason(status)) {
      refuse_group(group, reason_of(status));
      if (group == CREBIND_COUNTING_MEMORY) find_sizes();
      status = CREBIND_OK;
    }
  }
  if (status != CREBIND_OK)
    groups[group].is_judged = false;
  else if (groups[group].users++ == 0)
    set_counted(group, true);
  crebind_counting_unlock();
  crebind_reach_this_thread.suppressed--;
  return status;
}

void crebind_counting_uninstall(crebind_counting_group group) {
  crebind_counting_lock();
  if (--groups[group].users == 0) set_counted(group, false);
  crebind_counting_unlock();
}

// MARK: - Findings

static bool copy(const finding *finding, char *reason) {
  crebind_counting_lock();
  bool is_absent = finding->is_absent;
  if (is_absent) strcpy(reason, finding->reason);
  crebind_counting_unlock();
  return is_absent;
}

bool crebind_counting_absence(crebind_counting_function function, char *reason) {
  return copy(&findings[function], reason);
}

bool crebind_counting_size_absence(char *reason) { return copy(&of_sizes, reason); }

bool crebind_counting_is_known(crebind_counting_function function) {
  crebind_counting_lock();
  bool is_known = findings[function].is_known;
  crebind_counting_unlock();
  return is_known;
}
#endif
