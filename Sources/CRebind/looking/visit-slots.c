/// The slots of one image, with what each holds.

#if defined(__linux__)
#define _GNU_SOURCE
#include "looking/target.h"
#include "planning/slot-word.h"
#include "runtime/status.h"
#include "transactions/attempt.h"
#include "transactions/questions.h"
#include "world/look.h"

#include <errno.h>

/// Each calls the resolvers that the one before came upon, of images that come and go.
enum { ROUNDS = 100 };

struct gathered_slot {
  crebind_slot_contents contents;
  size_t symbol, version;
  struct crebind_gathered_target target;
};

struct slots {
  const void *header;
  bool finds_targets;
  struct crebind_world *world;
  size_t image;
  struct crebind_vector items;  // struct gathered_slot
  struct crebind_ifuncs ifuncs;
  struct crebind_strings strings;
};

static uint32_t relocation_type(crebind_slot_kind kind) {
  return kind == CREBIND_JUMP_SLOT  ? CREBIND_R_JUMP_SLOT
         : kind == CREBIND_GLOB_DAT ? CREBIND_R_GLOB_DAT
                                    : CREBIND_R_ABSOLUTE;
}

/// The target of a slot; the loader's own choice needs no search.
static struct crebind_gathered_target gather_target(struct slots *slots,
                                                    const struct crebind_judgement *judgement,
                                                    const char *name, size_t symbol) {
  if (judgement->target == 0 || judgement->is_unresolved)
    return (struct crebind_gathered_target){.address = 0};
  if (judgement->target == judgement->expected && judgement->definer != SIZE_MAX)
    return (struct crebind_gathered_target){
        .address = judgement->target,
        .image = crebind_gather_image(&slots->strings, slots->world, judgement->definer),
        .symbol = symbol,
    };
  return crebind_gather_target(&slots->strings, slots->world, judgement->target, name);
}

/// All that is known of a slot without its target.
static crebind_status look_at_word(const struct crebind_image *image,
                                   const struct crebind_slot *slot,
                                   struct crebind_judgement *judgement) {
  uintptr_t word = crebind_load_word(slot->address);
  *judgement = (struct crebind_judgement){
      .word = word,
      .is_unresolved = crebind_is_unresolved(image, slot, word),
      .rebinder = CREBIND_REBINDER_UNKNOWN,
  };
  return CREBIND_OK;
}

static crebind_status gather_slot(void *context, const struct crebind_slot *slot, uint32_t unused) {
  (void)unused;
  struct slots *slots = context;
  const struct crebind_image *image = crebind_world_image(slots->world, slots->image);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(slots->world, slots->image);
  struct crebind_name name;
  if (!crebind_slot_is_judgeable(slots->world, slots->image, slot, &name)) return CREBIND_OK;
  struct crebind_judgement judgement;
  crebind_status status =
      slots->finds_targets
          ? crebind_judge_slot(slots->world, slots->image, slot, &name, &judgement)
          : look_at_word(image, slot, &judgement);
  if (status != CREBIND_OK) return status;
  struct gathered_slot *gathered = crebind_vector_append(&slots->items, 1);
  if (gathered == NULL) return CREBIND_OUT_OF_MEMORY;
  gathered->symbol = crebind_strings_add(&slots->strings, name.string);
  gathered->version = crebind_strings_add(
      &slots->strings, crebind_symbol_version(image, dynamic, slot->symbol).name);
  gathered->target = gather_target(slots, &judgement, name.string, gathered->symbol);
  gathered->contents = (crebind_slot_contents){
      .address = slot->address,
      .kind = slot->kind,
      .relocation = relocation_type(slot->kind),
      .has_addend = slot->is_rela,
      .addend = slot->addend,
      .word = judgement.word,
      .is_unresolved = judgement.is_unresolved,
      .is_relro = crebind_slot_is_relro(image, slot),
      .rebinder = judgement.rebinder,
  };
  return CREBIND_OK;
}

static crebind_status gather(struct crebind_look *look, void *context) {
  struct slots *slots = context;
  slots->world = &look->world;
  crebind_vector_truncate(&slots->items, 0);
  crebind_vector_truncate(&slots->strings.bytes, 0);
  crebind_ifuncs_file(&slots->ifuncs);
  crebind_scopes_ask_with(&look->world.scopes, NULL, &slots->ifuncs);
  crebind_status status = crebind_look_find(look, slots->header, &slots->image);
  if (status == CREBIND_OK)
    status = crebind_slot_scan_visit(NULL, crebind_world_image(&look->world, slots->image),
                                     crebind_world_dynamic(&look->world, slots->image),
                                     CREBIND_ALL_SLOT_KINDS, gather_slot, slots);
  return slots->ifuncs.lacks_memory ? CREBIND_OUT_OF_MEMORY : status;
}

/// Looks again while resolvers have to be called.
static crebind_status gather_all(struct slots *slots, crebind_error *error) {
  crebind_status status = crebind_look(gather, slots, error);
  for (int i = 1; status == CREBIND_OK && crebind_ifuncs_are_open(&slots->ifuncs); i++) {
    if (i == ROUNDS) return crebind_fail(error, CREBIND_BUSY, -1);
    crebind_ifuncs_call(&slots->ifuncs);
    status = crebind_look(gather, slots, error);
  }
  return status;
}

crebind_status crebind_image_slots(const void *header, bool finds_targets,
                                   crebind_slot_contents_visitor *visit, void *context,
                                   crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  struct slots slots = {.header = header,
                        .finds_targets = finds_targets,
                        .items = CREBIND_VECTOR(struct gathered_slot)};
  crebind_strings_begin(&slots.strings);
  crebind_ifuncs_begin(&slots.ifuncs);
  int saved_errno = errno;
  crebind_status status = gather_all(&slots, error);
  errno = saved_errno;
  for (size_t i = 0; i < slots.items.count && status == CREBIND_OK; i++) {
    struct gathered_slot *slot = crebind_vector_at(&slots.items, i);
    slot->contents.symbol = crebind_strings_at(&slots.strings, slot->symbol);
    if (slot->version != 0)
      slot->contents.version = crebind_strings_at(&slots.strings, slot->version);
    slot->contents.target = crebind_target_of(&slots.strings, &slot->target);
    visit(&slot->contents, context);
  }
  crebind_vector_free(&slots.items);
  crebind_vector_free(&slots.strings.bytes);
  crebind_ifuncs_end(&slots.ifuncs);
  return status;
}
#endif
