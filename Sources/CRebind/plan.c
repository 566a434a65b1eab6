#define _GNU_SOURCE
#include "plan.h"
#include "patch.h"
#include "resolver.h"

void crebind_plan_begin(struct crebind_plan *plan, struct crebind_world *world,
                        const struct crebind_batch *batch) {
  memset(plan, 0, sizeof *plan);
  plan->world = world;
  plan->batch = batch;
  plan->entries = CREBIND_VECTOR(struct crebind_entry);
  crebind_slot_scan_begin(&plan->scan);
  for (size_t i = 0; i < batch->items.count; i++) {
    crebind_batch_item(batch, i)->last_function = 0;
    crebind_batch_item(batch, i)->has_election = false;
    crebind_batch_item(batch, i)->first_definer = SIZE_MAX;
  }
}

void crebind_plan_end(struct crebind_plan *plan) {
  for (size_t i = 0; i < plan->entries.count; i++)
    crebind_resolver_free(((struct crebind_entry *)crebind_vector_at(&plan->entries, i))->resolver);
  crebind_vector_free(&plan->entries);
  crebind_slot_scan_end(&plan->scan);
}

// MARK: - Words

bool crebind_is_unresolved(const struct crebind_image *image, const struct crebind_slot *slot,
                           uintptr_t word) {
  if (slot->kind != CREBIND_JUMP_SLOT) return false;
  const ElfW(Phdr) *segment = crebind_image_segment(image, word, 1);
  if (segment == NULL || (segment->p_flags & (PF_R | PF_X)) != (PF_R | PF_X)) return false;
  size_t room = image->bias + segment->p_vaddr + segment->p_memsz - word;
  return crebind_is_lazy_stub((const uint8_t *)word, room, slot->index);
}

uintptr_t crebind_bypass_of(const struct crebind_image *image, const struct crebind_slot *slot) {
  // The addend marks the PLT entry, and is not added. Without the mark nobody rewrites it.
  if (slot->kind != CREBIND_JUMP_SLOT || slot->addend == 0 || slot->added != 0) return 0;
  uintptr_t entry = image->bias + (uintptr_t)slot->addend;
  const ElfW(Phdr) *segment = crebind_image_segment(image, entry, 1);
  if (segment == NULL || (segment->p_flags & (PF_R | PF_X)) != (PF_R | PF_X)) return 0;
  return crebind_direct_jump((const uint8_t *)entry,
                             image->bias + segment->p_vaddr + segment->p_memsz - entry);
}

/// True if the word may be a local entry point, which only its own image can
/// call.
static bool is_local_entry(const struct crebind_image *image, uintptr_t word) {
  return CREBIND_HAS_LOCAL_ENTRIES && crebind_image_segment(image, word, 1) != NULL;
}

uintptr_t crebind_canonical_plt_entry(const struct crebind_world *world,
                                      const struct crebind_name *name) {
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, 0);
  if (crebind_world_image(world, 0)->bias != 0) return 0;
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, name->string, name->length, name->gnu_hash);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;) {
    const ElfW(Sym) *symbol = &dynamic->symbols[i];
    if (symbol->st_shndx == SHN_UNDEF && symbol->st_value != 0)
      return crebind_world_image(world, 0)->bias + symbol->st_value;
  }
  return 0;
}

bool crebind_is_exported_function(const ElfW(Sym) * symbol) {
  unsigned type = symbol->st_info & 0xf, binding = symbol->st_info >> 4;
  unsigned visibility = symbol->st_other & 3;
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && symbol->st_value != 0
         && (type == STT_FUNC || type == STT_GNU_IFUNC) && binding != STB_LOCAL
         && (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

bool crebind_item_selects(const struct crebind_world *world, const struct crebind_item *item,
                          const char *version, size_t definer) {
  if (item->version != NULL && (version == NULL || !crebind_equal(version, item->version)))
    return false;
  return item->library == NULL
         || (definer != SIZE_MAX && crebind_world_is_library(world, definer, item->library));
}

const char *crebind_version_of_binding(const struct crebind_world *world, const char *version,
                                       size_t definer, const struct crebind_name *name) {
  if (version != NULL || definer == SIZE_MAX) return version;
  const struct crebind_reference reference = {name->string, name->length, name->gnu_hash, NULL,
                                              false};
  struct crebind_definition bound = crebind_scopes_offer(&world->scopes, definer, &reference);
  if (bound.image == SIZE_MAX) return NULL;
  return crebind_symbol_version(crebind_world_image(world, definer),
                                crebind_world_dynamic(world, definer), bound.symbol)
      .name;
}

// MARK: - Slots

/// The state of one walk over an image's slots.
struct walk {
  struct crebind_plan *plan;
  size_t index;
  uint32_t known;
  const struct crebind_image *image;
  const struct crebind_dynamic *dynamic;
  /// The image may be unloaded; for definitions only.
  bool is_outside;
  /// The versions asked for last, by the low bits of their index: an image's
  /// references share a few of them.
  struct {
    uint32_t key;
    const char *name;
  } versions[4];
};

/// The version of a symbol of the image.
static const char *version_of(struct walk *walk, uint32_t index) {
  const struct crebind_dynamic *dynamic = walk->dynamic;
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, index);
  if (dynamic->versym == NULL || symbol == NULL) return NULL;
  uint32_t entry = dynamic->versym[index];
  // Never 0, and apart for what the image defines itself.
  uint32_t key = entry | (symbol->st_shndx == SHN_UNDEF ? 1u << 16 : 1u << 17);
  size_t at = entry % (sizeof walk->versions / sizeof *walk->versions);
  if (walk->versions[at].key != key) {
    walk->versions[at].key = key;
    walk->versions[at].name = crebind_symbol_version(walk->image, dynamic, index).name;
  }
  return walk->versions[at].name;
}

static crebind_status append_entry(struct crebind_plan *plan, const struct crebind_entry *entry) {
  struct crebind_entry *place = crebind_vector_append(&plan->entries, 1);
  if (place == NULL) return CREBIND_OUT_OF_MEMORY;
  *place = *entry;
  return CREBIND_OK;
}

/// A reference's version and binding, found out once and only if needed.
struct binding {
  const char *version;
  uintptr_t function;
  size_t definer;
  bool is_known;
};

static crebind_status bind(struct walk *walk, const struct crebind_slot *slot,
                           const struct crebind_name *name, struct binding *binding) {
  if (binding->is_known) return CREBIND_OK;
  binding->is_known = true;
  binding->version = version_of(walk, slot->symbol);
  return crebind_world_resolve(walk->plan->world, walk->index, name, binding->version, false,
                               &binding->function, &binding->definer);
}

/// The item of the batch that selects the slot; SIZE_MAX for none.
static crebind_status select_item(struct walk *walk, const struct crebind_slot *slot,
                                  uint32_t first, struct binding *binding, size_t *selected) {
  const struct crebind_batch *batch = walk->plan->batch;
  for (uint32_t i = first + 1; i != 0; i = crebind_batch_item(batch, i - 1)->next) {
    const struct crebind_item *item = crebind_batch_item(batch, i - 1);
    if (item->version != NULL || item->library != NULL) {
      crebind_status status = bind(walk, slot, &item->name, binding);
      if (status != CREBIND_OK) return status;
      const char *version = binding->version;
      if (item->version != NULL)
        version = crebind_version_of_binding(walk->plan->world, version, binding->definer,
                                             &item->name);
      if (!crebind_item_selects(walk->plan->world, item, version, binding->definer)) continue;
    }
    *selected = i - 1;
    return CREBIND_OK;
  }
  *selected = SIZE_MAX;
  return CREBIND_OK;
}

/// True if a batch that has been restored, but for words that somebody else's hook lies on,
/// leads this one to `replacement` still: on top, that would lead back to itself.
static bool has_left_over(const struct walk *walk, uintptr_t address, uintptr_t replacement) {
  for (const struct crebind_handle *handle = crebind_records.oldest; handle != NULL;
       handle = handle->newer) {
    const struct crebind_entry *entry =
        handle->is_left_over ? crebind_handle_find(handle, walk->known, address) : NULL;
    if (entry != NULL && crebind_batch_item(&handle->batch, entry->item)->replacement == replacement)
      return true;
  }
  return false;
}

/// What a word of the image holds that an active batch has planned or stored, for
/// the batch to be applied on top; NULL if none has.
static const struct crebind_entry *entry_below(const struct walk *walk, uintptr_t address,
                                               uintptr_t word, uintptr_t value,
                                               bool is_left_over) {
  struct crebind_handle *owner;
  if (walk->plan->late_handle != NULL)
    return crebind_find_below(walk->plan->late_handle, walk->known, address, &owner);
  // Mostly the word is what is below. If it is our own value already, another
  // batch may have the same replacement, and be restored before this one.
  if (word != value && !is_left_over) return NULL;
  const struct crebind_entry *top = crebind_find_top(walk->known, address);
  return top != NULL && top->value == value ? top : NULL;
}

/// True if the word leads to a wrapper of ours, and that to the same replacement: on top of
/// it, the replacement would lead back to itself.
static bool leads_here_already(const struct walk *walk, uintptr_t address, uintptr_t value) {
  const struct crebind_entry *entry = NULL;
  const struct crebind_handle *late = walk->plan->late_handle;
  for (const struct crebind_handle *handle = late != NULL ? late->older : crebind_records.newest;
       handle != NULL; handle = handle->older) {
    const struct crebind_entry *link = crebind_handle_find(handle, walk->known, address);
    if (link == NULL || handle == crebind_records.topmost) continue;
    if (!handle->is_own) return entry != NULL && link->value == value;
    entry = link;
  }
  return false;
}

/// What has been stored on top already: by a batch that was applied later, when this
/// one's predicate had not answered yet, or by the topmost; NULL if none has.
static const struct crebind_entry *entry_above(const struct walk *walk, uintptr_t address) {
  struct crebind_handle *owner;
  if (walk->plan->late_handle == NULL)
    return crebind_records.topmost == NULL
               ? NULL
               : crebind_handle_find(crebind_records.topmost, walk->known, address);
  return crebind_find_above(walk->plan->late_handle, walk->known, address, &owner);
}

static void take_place_below(const struct walk *walk, struct crebind_entry *entry,
                             const struct crebind_entry *above) {
  entry->previous = above->previous;
  entry->original = above->original;
  // Another batch with the same replacement is below.
  struct crebind_handle *owner;
  const struct crebind_entry *below = NULL;
  if (walk->plan->late_handle == NULL && entry->previous == entry->value)
    below = crebind_find_below(crebind_records.topmost, entry->image, entry->address, &owner);
  if (below != NULL) entry->original = below->original;
  entry->is_lazy = above->is_lazy;
  entry->is_left = above->is_left;
}

static bool is_replacement_of(struct crebind_item *item, uintptr_t function) {
  if (item->last_function != function) {
    item->last_function = function;
    item->last_is_replacement = crebind_is_replacement(&item->name, function);
  }
  return item->last_is_replacement;
}

/// True if another copy of CRebind has redirected the definition on top of us.
/// The loader binds a late image to it then, and it leads to us: a slot that we
/// took for ourselves would go past it.
static bool is_covered(const struct walk *walk, size_t definer, const struct crebind_name *name,
                       size_t item) {
  const struct crebind_handle *handle = walk->plan->late_handle;
  if (handle == NULL || definer == SIZE_MAX) return false;
  uint32_t known = crebind_world_known(walk->plan->world, definer);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(walk->plan->world, definer);
  struct crebind_symbol_walk symbols;
  crebind_symbol_walk_begin(&symbols, dynamic, name->string, name->length, name->gnu_hash);
  for (size_t i; (i = crebind_symbol_walk_next(&symbols)) != 0;) {
    uintptr_t address = (uintptr_t)&dynamic->symbols[i].st_value;
    const struct crebind_entry *entry = crebind_handle_find(handle, known, address);
    struct crebind_handle *owner;
    if (entry != NULL && entry->item == item && !entry->is_due
        && crebind_find_above(handle, known, address, &owner) == NULL
        && crebind_load_word(address) != entry->value)
      return true;
  }
  return false;
}

static crebind_status visit_slot(void *context, const struct crebind_slot *slot, uint32_t unique) {
  struct walk *walk = context;
  struct crebind_plan *plan = walk->plan;
  const struct crebind_batch *batch = plan->batch;

  if (!crebind_image_can_read(walk->image, slot->address, sizeof(uintptr_t))) {
    *(int64_t *)crebind_vector_at(&plan->world->broken_tags, walk->index) = slot->tag;
    return CREBIND_BROKEN_IMAGE;
  }
  if (slot->address % sizeof(uintptr_t) != 0) {
    plan->skipped++;
    return CREBIND_OK;
  }
  // A text relocation: opening its page would make code writable.
  if (slot->kind == CREBIND_ABSOLUTE
      && crebind_patch_is_beside_code(walk->image, slot->address)) {
    plan->skipped++;
    return CREBIND_OK;
  }
  if (plan->late_handle != NULL
      && crebind_handle_find(plan->late_handle, walk->known, slot->address) != NULL)
    return CREBIND_OK;
  struct binding binding = {NULL, 0, SIZE_MAX, false};
  size_t index;
  uint32_t first = *(uint32_t *)crebind_vector_at(&batch->first, unique);
  crebind_status status = select_item(walk, slot, first, &binding, &index);
  if (status != CREBIND_OK || index == SIZE_MAX) return status;
  struct crebind_item *item = crebind_batch_item(batch, index);
  const struct crebind_name *name = &item->name;

  uintptr_t word = crebind_load_word(slot->address);
  // musl leaves a slot so that nothing defines.
  if (crebind_image_is_link_time(walk->image, word)) {
    plan->skipped++;
    return CREBIND_OK;
  }
  uintptr_t addend = slot->added;
  struct crebind_entry entry = {
      .address = slot->address,
      .previous = word,
      .original = word - addend,
      .value = item->replacement + addend,
      .item = (uint32_t)index,
      .image = walk->known,
      .symbol = slot->symbol,
      .kind = (uint8_t)slot->kind,
  };
  // An image that came while a definition was redirected jumps to the replacement.
  uintptr_t bypass = crebind_bypass_of(walk->image, slot);
  plan->bypassed += bypass != 0 && bypass != item->replacement;
  bool is_replacement = is_replacement_of(item, word - addend);
  const struct crebind_entry *above = entry_above(walk, slot->address);
  bool is_leaving = plan->late_handle != NULL && plan->late_handle->is_leaving;
  // A batch that is being restored takes on what its definitions have led to it.
  if (is_leaving && (above != NULL ? above->previous : word) != entry.value) return CREBIND_OK;
  if (above != NULL) {
    take_place_below(walk, &entry, above);
    return append_entry(plan, &entry);
  }
  if (plan->late_handle != NULL && !is_replacement) {
    status = bind(walk, slot, name, &binding);
    if (status != CREBIND_OK) return status;
    entry.is_left = is_covered(walk, binding.definer, name, index);
  }
  if (leads_here_already(walk, slot->address, entry.value)) {
    plan->unchanged += plan->late_handle == NULL;
    return CREBIND_OK;
  }
  bool is_left_over = has_left_over(walk, slot->address, item->replacement);
  const struct crebind_entry *below =
      entry_below(walk, slot->address, word, entry.value, is_left_over);
  if (below == NULL && is_left_over && plan->late_handle == NULL) {
    plan->unchanged++;
    return CREBIND_OK;
  }
  if (below != NULL) {
    entry.previous = below->value;
    entry.is_lazy = below->is_lazy;
    entry.original = below->value == entry.value ? below->original : below->value - addend;
    return append_entry(plan, &entry);
  }
  if (plan->late_handle == NULL && word == entry.value) {
    plan->unchanged++;
    return CREBIND_OK;
  }
  if (plan->late_handle != NULL || !is_replacement) {
    uintptr_t target = word - addend, canonical = crebind_canonical_plt_entry(plan->world, name);
    entry.is_lazy = crebind_is_unresolved(walk->image, slot, word);
    bool is_canonical = canonical != 0 && target == canonical;
    if (entry.is_lazy || is_replacement || slot->kind == CREBIND_ABSOLUTE || is_canonical
        || is_local_entry(walk->image, target)) {
      status = bind(walk, slot, name, &binding);
      if (status != CREBIND_OK) return status;
      entry.original = binding.function;
    }
    if (entry.is_left) {
      entry.original = binding.function;
      if (!entry.is_lazy) entry.previous = binding.function + addend;
    }
    // The loader bound the image to a replacement: its word is not the former one.
    if (is_replacement) entry.previous = entry.original + addend;
    // Data that has been assigned since is the program's, not the loader's.
    if (slot->kind == CREBIND_ABSOLUTE && !is_replacement && !entry.is_left
        && target != entry.original && !is_canonical) {
      plan->skipped++;
      return CREBIND_OK;
    }
  }
  // A weak reference that nothing defines: the program asks for NULL before it
  // calls, and there is no original to give.
  if (entry.original == 0) {
    plan->skipped++;
    return CREBIND_OK;
  }
  return append_entry(plan, &entry);
}

// MARK: - Definitions

static crebind_status add_definition(struct walk *walk, uint32_t symbol_index, size_t item_index) {
  struct crebind_plan *plan = walk->plan;
  const struct crebind_item *item = crebind_batch_item(plan->batch, item_index);
  const ElfW(Sym) *symbol = crebind_symbol(walk->dynamic, symbol_index);
  uintptr_t address = (uintptr_t)&symbol->st_value;
  struct crebind_entry entry = {
      .address = address,
      .previous = symbol->st_value,
      .value = item->replacement - walk->image->bias,
      .item = (uint32_t)item_index,
      .image = walk->known,
      .symbol = symbol_index,
      .kind = CREBIND_DEFINITION,
  };
  if (leads_here_already(walk, address, entry.value)) return CREBIND_OK;
  if (has_left_over(walk, address, item->replacement)) {
    plan->needs_notice = true;
    return CREBIND_OK;
  }
  const struct crebind_entry *above = entry_above(walk, address), *below = NULL;
  if (above != NULL)
    take_place_below(walk, &entry, above);
  else
    below = entry_below(walk, address, entry.previous, entry.previous, false);
  if (below != NULL) entry.previous = below->value;
  entry.original = crebind_symbol_address(&plan->world->scopes, walk->index, symbol,
                                          entry.previous);
  if (below != NULL && entry.original == item->replacement) entry.original = below->original;
  // A library may export the replacement under the symbol's name.
  if (entry.original == item->replacement) return CREBIND_OK;
  if ((symbol->st_info & 0xf) == STT_GNU_IFUNC) {
    entry.resolver = crebind_resolver_make(item->replacement);
    if (entry.resolver == 0) {
      plan->needs_notice = true;
      return CREBIND_OK;
    }
    entry.value = crebind_resolver_address(entry.resolver) - walk->image->bias;
  }
  return append_entry(plan, &entry);
}

/// Says whether the definition is the one of its name and version that may be redirected:
/// the first in the global scope, or, where that has none, the only one in a local scope.
/// What stands behind the first is where RTLD_NEXT leads, and one of several in local scopes
/// is what the handle of an unrelated image gives.
///
/// \param first The first item of its name.
static crebind_status elects(struct walk *walk, struct crebind_item *first, uint32_t symbol,
                             const char *version, bool *is_elected) {
  const struct crebind_name *name = &first->name;
  const struct crebind_reference reference = {name->string, name->length, name->gnu_hash, version,
                                              false};
  struct crebind_scopes *scopes = &walk->plan->world->scopes;
  if (!walk->is_outside) {
    // The images are visited in the scope's order, and mostly one defines a name.
    *is_elected = first->first_definer == walk->index
                  || !crebind_scopes_have_before(scopes, walk->index, &reference);
    return CREBIND_OK;
  }
  // Many images may ask the same.
  const char *asked = first->elected_version;
  bool is_known = first->has_election
                  && (asked == version
                      || (asked != NULL && version != NULL && crebind_equal(asked, version)));
  if (!is_known) {
    struct crebind_definition elected;
    bool is_contested;
    crebind_status status =
        crebind_scopes_elect_outside(scopes, &reference, &elected, &is_contested);
    if (status != CREBIND_OK) return status;
    first->has_election = true;
    first->elected_version = version;
    first->elected_image = elected.image;
    first->elected_symbol = elected.symbol;
    first->is_contested |= is_contested;
  }
  *is_elected = first->elected_image == walk->index && first->elected_symbol == symbol;
  return CREBIND_OK;
}

/// The item of the name that selects the definition; SIZE_MAX for none.
static size_t select_for_definition(const struct walk *walk, uint32_t name, const char *version) {
  const struct crebind_batch *batch = walk->plan->batch;
  uint32_t first = *(uint32_t *)crebind_vector_at(&batch->first, name);
  for (uint32_t i = first + 1; i != 0; i = crebind_batch_item(batch, i - 1)->next)
    if (crebind_item_selects(walk->plan->world, crebind_batch_item(batch, i - 1), version,
                             walk->index))
      return i - 1;
  return SIZE_MAX;
}

/// Judges one definition of a name of the batch.
static crebind_status visit_definition(struct walk *walk, uint32_t symbol, uint32_t name) {
  struct crebind_plan *plan = walk->plan;
  struct crebind_item *first = crebind_batch_item_named(plan->batch, name);
  if (!walk->is_outside && first->first_definer == SIZE_MAX) first->first_definer = walk->index;
  const char *version = version_of(walk, symbol);
  size_t item = select_for_definition(walk, name, version);
  if (item == SIZE_MAX) return CREBIND_OK;
  bool is_elected;
  crebind_status status = elects(walk, first, symbol, version, &is_elected);
  if (status != CREBIND_OK) return status;
  const ElfW(Sym) *definition = crebind_symbol(walk->dynamic, symbol);
  bool can_redirect = !walk->image->is_loader && crebind_is_exported_function(definition);
  plan->needs_notice |= walk->is_outside || (is_elected && !can_redirect);
  struct crebind_entry *entry = NULL;
  if (plan->late_handle != NULL)
    entry = crebind_handle_find(plan->late_handle, walk->known, (uintptr_t)&definition->st_value);
  if (entry != NULL) {
    entry->is_turning_back = !is_elected;
    return CREBIND_OK;
  }
  return is_elected && can_redirect ? add_definition(walk, symbol, item) : CREBIND_OK;
}

/// The image's definitions of the batch's names, as the scan has found them.
static crebind_status add_definitions(struct walk *walk) {
  const struct crebind_slot_scan *scan = &walk->plan->scan;
  if (scan->matches.count == 0) return CREBIND_OK;
  crebind_status status = crebind_scopes_may_be_unloaded(&walk->plan->world->scopes, walk->index,
                                                         &walk->is_outside);
  for (size_t m = 0; m < scan->matches.count && status == CREBIND_OK; m++) {
    uint32_t match = *(uint32_t *)crebind_vector_at(&scan->matches, m);
    if (!crebind_symbol_is_offered(crebind_symbol(walk->dynamic, match))) continue;
    uint32_t name = crebind_slot_scan_name(scan, match);
    // Of a late image they are judged with those of all others, once it is served.
    if (walk->plan->late_handle != NULL)
      crebind_batch_item_named(walk->plan->batch, name)->is_due = true;
    else
      status = visit_definition(walk, match, name);
  }
  return status;
}

static struct walk walk_of(struct crebind_plan *plan, size_t index) {
  return (struct walk){
      .plan = plan,
      .index = index,
      .known = crebind_world_known(plan->world, index),
      .image = crebind_world_image(plan->world, index),
      .dynamic = crebind_world_dynamic(plan->world, index),
  };
}

crebind_status crebind_plan_judge_image(struct crebind_plan *plan, size_t index) {
  struct walk walk = walk_of(plan, index);
  const struct crebind_names *names = &plan->batch->names;
  if (walk.image->is_vdso) return CREBIND_OK;
  crebind_status status =
      crebind_scopes_may_be_unloaded(&plan->world->scopes, index, &walk.is_outside);
  for (uint32_t n = 0; n < names->count && status == CREBIND_OK; n++) {
    const struct crebind_item *first = crebind_batch_item_named(plan->batch, n);
    const struct crebind_name *name = &names->items[n];
    if ((!first->is_due && !first->is_contested)
        || !crebind_symbol_may_be_hashed(walk.dynamic, name->gnu_hash))
      continue;
    struct crebind_symbol_walk symbols;
    crebind_symbol_walk_begin(&symbols, walk.dynamic, name->string, name->length, name->gnu_hash);
    for (size_t i; status == CREBIND_OK && (i = crebind_symbol_walk_next(&symbols)) != 0;)
      if (crebind_symbol_is_offered(crebind_symbol(walk.dynamic, i)))
        status = visit_definition(&walk, (uint32_t)i, n);
  }
  return status;
}

crebind_status crebind_plan_add_image(struct crebind_plan *plan, size_t index, bool in_scope) {
  struct walk walk = walk_of(plan, index);
  bool redirects = crebind_batch_redirects_definitions(plan->batch);
  // The loader's own slots are left alone; its definitions are bound to by others.
  bool has_slots = in_scope && !walk.image->is_loader;
  if (walk.image->is_vdso || (!has_slots && !redirects)) return CREBIND_OK;
  crebind_status status = crebind_slot_scan_match(&plan->scan, walk.dynamic, &plan->batch->names);
  if (status == CREBIND_OK && has_slots)
    status = crebind_slot_scan_visit(&plan->scan, walk.image, walk.dynamic,
                                     plan->batch->options.slot_kinds, visit_slot, &walk);
  if (status == CREBIND_OK && redirects) status = add_definitions(&walk);
  return status;
}
