#if defined(__linux__)
#define _GNU_SOURCE
#include "arrivals/new-images.h"
#include "definitions/redirect.h"
#include "definitions/due-entries.h"
#include "patching/page-copy.h"
#include "definitions/dlsym-answers.h"
#include "planning/other-scopes.h"
#include "planning/plan.h"
#include "planning/postponed.h"
#include "planning/originals.h"

/// For each known image, whether the active batches have been brought to it.
static struct crebind_known_table served = CREBIND_KNOWN_TABLE(bool);

static bool *is_served(size_t known) { return crebind_known_row(&served, known); }

bool crebind_handle_selects(const struct crebind_handle *handle,
                            const struct crebind_world *world, size_t index) {
  if (!crebind_batch_selects(&handle->batch, crebind_world_image(world, index))) return false;
  if (handle->batch.options.scope != CREBIND_SCOPE_MATCHING) return true;
  return crebind_decision_about(&handle->decisions, crebind_world_known(world, index))
         == CREBIND_ACCEPTED;
}

// MARK: - Images that have gone

/// True if the word is as the loader makes it: bound to the original, or to what a
/// batch below has led the definition to.
static bool is_fresh(const struct crebind_handle *handle, const struct crebind_image *image,
                     const struct crebind_entry *entry, const struct crebind_entry *lowest) {
  uintptr_t word = crebind_load_word(entry->address);
  bool is_above = false, leads_below = false;
  for (const struct crebind_handle *other = crebind_records.oldest; other != NULL;
       other = other->newer) {
    const struct crebind_entry *link = crebind_handle_find(other, entry->image, entry->address);
    is_above |= other == handle;
    if (link == NULL || word != link->value) continue;
    if (is_above) return false;
    leads_below = true;
  }
  if (leads_below || word == lowest->previous) return true;
  if (entry->kind == CREBIND_DEFINITION) return false;
  // The word of a lazy slot leads into the image's own PLT.
  return word == lowest->original
         || (entry->kind == CREBIND_JUMP_SLOT && crebind_image_segment(image, word, 1) != NULL);
}

/// False if the image at this place is not the one that we changed, though it has
/// the same bias, dynamic table and path.
static bool is_still_ours(const struct crebind_handle *handle, const struct crebind_entry *entry,
                          const struct crebind_world *world) {
  const struct crebind_known_image *known = crebind_known_image_at(entry->image);
  const struct crebind_image *image = crebind_world_image(world, known->index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, known->index);
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, entry->symbol);
  const struct crebind_name *name = &crebind_batch_item(&handle->batch, entry->item)->name;
  // Without symbols the table has been broken since, and nothing can be said.
  bool is_named = dynamic->symbols == NULL
                  || (symbol != NULL
                      && crebind_symbol_is_named(dynamic, symbol, name));
  if (!is_named || crebind_image_segment(image, entry->address, sizeof(uintptr_t)) == NULL)
    return false;
  // The lazy resolver makes a word fresh, too, and a batch that does not look at
  // later images would not find the slot again.
  const struct crebind_entry *lowest = crebind_find_lowest(entry);
  if (lowest->is_lazy && !crebind_options_serve_later_images(&handle->batch.options)) return true;
  return !is_fresh(handle, image, entry, lowest);
}

/// False if all images that were unloaded since the last look are gone. Then no loaded image has
/// taken another one's place.
static bool may_have_been_replaced(const struct crebind_world *world) {
  return world->images.counts.subs - crebind_served_counts().subs != crebind_count_gone_images();
}

static void forget_images(const struct crebind_world *world, bool looks_closer) {
  struct crebind_handle *handle;
  // All are marked before one is taken out: a chain is looked at as a whole.
  for (handle = crebind_records.oldest; handle != NULL; handle = handle->newer) {
    for CREBIND_EACH_ENTRY(entry, handle) {
      bool is_present = crebind_known_image_at(entry->image)->is_present;
      if (is_present && (!looks_closer || is_still_ours(handle, entry, world))) continue;
      crebind_entry_step(entry, CREBIND_DROPPED);
      *is_served(entry->image) = false;
      if (entry->kind == CREBIND_DEFINITION) crebind_judge_name_of(handle, entry);
    }
  }
  for (handle = crebind_records.oldest; handle != NULL; handle = handle->newer) {
    crebind_handle_drop(handle);
    crebind_postponed_forget(handle);
  }
}

// MARK: - Images that have come

crebind_status crebind_new_images_plan(struct crebind_world *world, struct crebind_handle *handle,
                                       size_t index) {
  struct crebind_plan plan;
  crebind_plan_begin(&plan, world, handle, true);
  crebind_status status =
      crebind_plan_add_image(&plan, index, crebind_handle_selects(handle, world, index));
  if (status == CREBIND_OK && !handle->is_own) status = crebind_leave_other_scopes(&plan, handle);
  bool has_entries = plan.entries.count != 0;
  if (plan.left_alone.count != 0) crebind_note_left_slots(handle, true);
  if (status == CREBIND_BROKEN_IMAGE)
    status = CREBIND_OK;
  else if (status == CREBIND_OK
           && !crebind_take_entries(handle, crebind_world_known(world, index), &plan))
    status = CREBIND_OUT_OF_MEMORY;
  else if (status == CREBIND_OK && has_entries)
    crebind_originals_find_sources(handle);  // the next image is compared with this one
  crebind_need_notice(handle, plan.needs_notice);
  crebind_plan_end(&plan);
  return status;
}

/// True if some slots were left alone for an image that has gone: the others are looked at again.
static bool may_leave_less(void) {
  bool leaves_slots = false;
  for CREBIND_EACH_BATCH(handle)
    leaves_slots |= crebind_active_of(handle)->leaves_slots;
  return leaves_slots && crebind_count_gone_images() != 0;
}

/// \param is_refused Set if the image could not be changed, but another try may succeed.
static crebind_status serve_image(struct crebind_world *world, size_t index,
                                  struct crebind_commit *commit, bool *is_refused) {
  uint32_t known = crebind_world_known(world, index);
  crebind_status status = CREBIND_OK;
  for (struct crebind_handle *handle = crebind_records.oldest;
       handle != NULL && status == CREBIND_OK; handle = handle->newer)
    if (crebind_options_serve_later_images(&handle->batch.options))
      status = crebind_new_images_plan(world, handle, index);
  if (status == CREBIND_OK && !crebind_scopes_are_sure(&world->scopes)) status = CREBIND_BUSY;
  if (status == CREBIND_OK && !crebind_add_due_changes(commit, known))
    status = CREBIND_OUT_OF_MEMORY;
  if (status == CREBIND_OK) status = crebind_commit_run(commit, world);
  crebind_keep_stored(known, commit, status);
  crebind_vector_truncate(&commit->changes, 0);
  // One image that cannot be changed must not keep the others from being changed.
  *is_refused = crebind_is_refusal(status) && status != CREBIND_SEALED;
  return crebind_is_refusal(status) ? CREBIND_OK : status;
}

/// False while a predicate is being asked about the image.
static bool is_decided(uint32_t known) {
  for CREBIND_EACH_BATCH(handle)
    if (crebind_decision_about(&handle->decisions, known) == CREBIND_ASKED) return false;
  return true;
}

/// Brings the batches to each image that has come. It goes on behind an image that the loader has
/// to be asked about, so that all questions are asked at once.
///
/// \param all_served Set to false if an image is still due.
static crebind_status serve_images(struct crebind_world *world, struct crebind_commit *commit,
                                   bool looks_closer, bool *all_served) {
  bool has_questions = false;
  for (size_t i = 0; i < world->images.items.count; i++) {
    uint32_t known = crebind_world_known(world, i);
    bool is_due = !*is_served(known), is_refused = false;
    crebind_status status = CREBIND_OK;
    // An image without entries does not show whether it is another one: a file
    // may even have been rebuilt and loaded again.
    if (!is_due && looks_closer)
      status = crebind_scopes_may_be_unloaded(&world->scopes, i, &is_due);
    if (status == CREBIND_OK && is_due && crebind_records.oldest != NULL)
      status = serve_image(world, i, commit, &is_refused);
    has_questions |= status == CREBIND_BUSY;
    if (status == CREBIND_BUSY) continue;
    if (status != CREBIND_OK) return status;
    *is_served(known) = !is_refused && is_decided(known);
    *all_served &= *is_served(known);
  }
  return has_questions ? CREBIND_BUSY : CREBIND_OK;
}

/// Keeps every original right: none stays in an image that has gone.
static crebind_status revise_originals(struct crebind_world *world) {
  crebind_status status = CREBIND_OK;
  for (struct crebind_handle *handle = crebind_records.oldest;
       handle != NULL && status == CREBIND_OK; handle = handle->newer) {
    status = crebind_originals_revise(handle, world);
    if (status == CREBIND_OK) status = crebind_originals_update(handle, world);
  }
  return status == CREBIND_OK && !crebind_scopes_are_sure(&world->scopes) ? CREBIND_BUSY : status;
}

crebind_status crebind_new_images_forget(struct crebind_world *world) {
  if (!crebind_known_attach(&served)) return CREBIND_OUT_OF_MEMORY;
  if (!crebind_is_served(world->images.counts))
    forget_images(world, may_have_been_replaced(world));
  return CREBIND_OK;
}

/// Brings the active batches to all images, after the generation has changed.
static crebind_status serve(struct crebind_world *world, struct crebind_commit *commit,
                            struct crebind_unfinished *unfinished, bool *all_served) {
  if (!crebind_known_attach(&served)) return CREBIND_OUT_OF_MEMORY;
  crebind_status status = crebind_loading_check(world, unfinished);
  if (status != CREBIND_OK) return status;
  bool looks_closer = may_have_been_replaced(world);
  forget_images(world, looks_closer);
  crebind_page_copy_forget(world, looks_closer);
  return serve_images(world, commit, looks_closer || may_leave_less(), all_served);
}

crebind_status crebind_new_images_serve(struct crebind_world *world, struct crebind_commit *commit,
                                        struct crebind_unfinished *unfinished) {
  bool was_served = crebind_is_served(world->images.counts);
  if (was_served && !crebind_redirect_is_due()) return CREBIND_OK;
  bool all_served = true;
  crebind_status status = CREBIND_OK;
  if (!was_served) status = serve(world, commit, unfinished, &all_served);
  if (status == CREBIND_OK) status = crebind_redirect(world, commit);
  if (status == CREBIND_OK) status = revise_originals(world);
  if (!crebind_dlsym_publish(world, NULL) && status == CREBIND_OK)
    status = CREBIND_OUT_OF_MEMORY;
  if (status != CREBIND_OK || was_served) return status;
  crebind_note_served(world->images.counts, all_served);
  return CREBIND_OK;
}
#endif
