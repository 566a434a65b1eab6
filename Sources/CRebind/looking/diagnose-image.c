#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/interceptor.h"
#include "looking/diagnosis.h"
#include "planning/selection.h"
#include "arrivals/new-images.h"
#include "planning/slot-word.h"
#include "runtime/reasons.h"

crebind_status crebind_add_diagnosis(struct crebind_diagnosing *diagnosing, crebind_reason reason,
                                     const struct crebind_gathered_image *image,
                                     const char *detail, size_t slots) {
  struct crebind_gathered_diagnosis *diagnosis = crebind_vector_append(&diagnosing->items, 1);
  if (diagnosis == NULL) return CREBIND_OUT_OF_MEMORY;
  diagnosis->reason = reason;
  if (image != NULL) diagnosis->image = *image;
  diagnosis->detail = crebind_strings_add(&diagnosing->strings, detail);
  diagnosis->slots = slots;
  return diagnosing->strings.lacks_memory ? CREBIND_OUT_OF_MEMORY : CREBIND_OK;
}

crebind_status crebind_add_image_diagnosis(struct crebind_diagnosing *diagnosing,
                                           const struct crebind_world *world, size_t index,
                                           crebind_reason reason, const char *detail,
                                           size_t slots) {
  struct crebind_gathered_image image = crebind_gather_image(&diagnosing->strings, world, index);
  return crebind_add_diagnosis(diagnosing, reason, &image, detail, slots);
}

// MARK: - Slots

/// Counts of a walk over the slots of the symbol.
struct count {
  struct crebind_world *world;
  const struct crebind_item *item;
  size_t index, slots, bypassed;
  /// Slots of references that nothing defines, and how many of these are weak.
  size_t undefined, weak;
  /// Pointers in data, which the program may assign.
  size_t in_data;
  /// The reason for slots of references that are not asked for, its detail, and how many they
  /// are; the version goes before the library.
  crebind_reason other_reason;
  const char *other_detail;
  size_t others;
  /// Slots of kinds that the scope leaves out.
  size_t other_kinds;
};

/// Notes a slot of a reference that is not asked for.
static void note_other(struct count *count, const char *version,
                       struct crebind_definition definition) {
  const char *wanted = count->item->version;
  bool is_defined = definition.image != SIZE_MAX;
  // The image that has to define it is a library, too.
  struct crebind_item any_version = *count->item;
  any_version.version = NULL;
  crebind_reason reason = crebind_reason_of_reference(&(struct crebind_reference_facts){
      .asks_for_version = wanted != NULL || count->item->unversioned_only,
      .asks_for_library = any_version.library != NULL || any_version.definer != 0,
      .has_version = version != NULL,
      .is_version = wanted != NULL && version != NULL && crebind_equal(version, wanted),
      .is_defined = is_defined,
      .is_library =
          is_defined && crebind_item_matches(count->world, &any_version, NULL, definition),
  });
  // References that nothing defines are counted as such.
  if (reason == 0 || reason == CREBIND_REASON_UNCHANGEABLE) return;
  count->others++;
  if (reason == CREBIND_REASON_OTHER_VERSION) {
    count->other_reason = reason;
    count->other_detail = version != NULL ? version : "none";
  } else if (count->other_reason != CREBIND_REASON_OTHER_VERSION) {
    crebind_image_info info = crebind_world_info(count->world, definition.image);
    count->other_reason = reason;
    count->other_detail = info.soname[0] != 0 ? info.soname : crebind_basename(info.path);
  }
}

static crebind_status count_slot(void *context, const struct crebind_slot *slot, uint32_t unused) {
  (void)unused;
  struct count *count = context;
  const struct crebind_image *image = crebind_world_image(count->world, count->index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(count->world, count->index);
  count->slots++;
  uintptr_t bypass = crebind_bypass_of(image, slot);
  count->bypassed += bypass != 0 && bypass != count->item->replacement;
  const char *version = crebind_symbol_version(image, dynamic, slot->symbol).name;
  bool has_unwanted_version = count->item->unversioned_only && version != NULL;
  uintptr_t function;
  struct crebind_definition definition;
  crebind_status status = crebind_world_bind(count->world, count->index, &count->item->name,
                                             version, false, &function, &definition);
  version = crebind_version_of_binding(count->world, version, definition.image,
                                       &count->item->name);
  if (status != CREBIND_OK) return status;
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, slot->symbol);
  bool is_defined = definition.image != SIZE_MAX;
  count->undefined += !is_defined;
  count->weak += !is_defined && symbol != NULL && symbol->st_info >> 4 == STB_WEAK;
  count->in_data += is_defined && slot->kind == CREBIND_ABSOLUTE
                    && slot->address % sizeof(uintptr_t) == 0
                    && !crebind_patch_is_beside_code(image, slot->address);
  if (!has_unwanted_version
      && crebind_item_matches(count->world, count->item, version, definition))
    return status;
  note_other(count, version, definition);
  return CREBIND_OK;
}

/// Counts of a plan's slots.
struct planned {
  size_t changeable, sealed, left_alone;
  /// The number of changeable slots that are pointers in data, and not words that code loads from.
  size_t in_data;
};

static crebind_status count_planned(struct crebind_diagnosing *diagnosing,
                                    struct crebind_world *world, size_t index,
                                    struct planned *planned) {
  struct crebind_plan plan;
  crebind_plan_begin(&plan, world, diagnosing->handle, false);
  crebind_status status = crebind_plan_add_image(&plan, index, true);
  for (size_t i = 0; i < plan.entries.count; i++) {
    const struct crebind_entry *entry = crebind_vector_at(&plan.entries, i);
    if (entry->kind == CREBIND_DEFINITION) continue;
    bool is_sealed = crebind_patch_is_sealed(crebind_world_image(world, index), entry->address);
    planned->sealed += is_sealed;
    planned->changeable += !is_sealed;
    planned->in_data += !is_sealed && entry->kind == CREBIND_ABSOLUTE;
  }
  crebind_plan_end(&plan);
  uint32_t known = crebind_world_known(world, index);
  for (size_t i = 0; i < diagnosing->left_alone.count; i++)
    planned->left_alone += *(uint32_t *)crebind_vector_at(&diagnosing->left_alone, i) == known;
  // If the image is sealed as well, either reason is enough.
  if (planned->left_alone > planned->changeable) planned->left_alone = planned->changeable;
  planned->changeable -= planned->left_alone;
  return status;
}

// MARK: - Symbols

/// Counts of a walk over the slots of the other names, by name.
struct variant_counts {
  const struct crebind_dynamic *dynamic;
  size_t *slots;
};

static crebind_status count_variant(void *context, const struct crebind_slot *slot,
                                    uint32_t name) {
  struct variant_counts *counts = context;
  counts->slots[name] += crebind_symbol(counts->dynamic, slot->symbol)->st_shndx == SHN_UNDEF;
  return CREBIND_OK;
}

/// Adds the other names that the image imports, each once, with the slots of all its versions.
static crebind_status add_variants(struct crebind_diagnosing *diagnosing,
                                   struct crebind_slot_scan *scan,
                                   const struct crebind_world *world, size_t index) {
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  const struct crebind_names *names = &diagnosing->variants.names;
  crebind_status status = crebind_slot_scan_match(scan, dynamic, names);
  if (status != CREBIND_OK || scan->matches.count == 0) return status;
  struct crebind_vector slots = CREBIND_VECTOR(size_t);
  struct variant_counts counts = {dynamic, crebind_vector_append(&slots, names->count)};
  if (counts.slots == NULL) return CREBIND_OUT_OF_MEMORY;
  memset(counts.slots, 0, names->count * sizeof *counts.slots);
  status = crebind_slot_scan_visit(scan, crebind_world_image(world, index), dynamic,
                                   diagnosing->handle->batch.options.slot_kinds, count_variant,
                                   &counts);
  for (size_t m = 0; m < scan->matches.count && status == CREBIND_OK; m++) {
    uint32_t match = *(uint32_t *)crebind_vector_at(&scan->matches, m);
    if (crebind_symbol(dynamic, match)->st_shndx != SHN_UNDEF) continue;
    uint32_t name = crebind_slot_scan_name(scan, match);
    if (counts.slots[name] == SIZE_MAX) continue;
    status = crebind_add_image_diagnosis(diagnosing, world, index, CREBIND_REASON_OTHER_NAME,
                                         names->items[name].string, counts.slots[name]);
    counts.slots[name] = SIZE_MAX;
  }
  crebind_vector_free(&slots);
  return status;
}

/// How calls inside the image go of a function that it exports as it was asked for; NULL if it
/// does not.
static const char *detail_of_definition(const struct crebind_world *world,
                                        const struct crebind_item *item, size_t index) {
  const ElfW(Sym) *symbol;
  if (!crebind_item_is_exported_by(world, item, index, &symbol)) return NULL;
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  return crebind_detail_of_definition(&(struct crebind_definition_facts){
      .is_interceptor = crebind_is_interceptor(dynamic, &item->name),
      .is_data = crebind_symbol_is_data(symbol),
      .is_protected = (symbol->st_other & 3) == STV_PROTECTED,
      .is_symbolic = dynamic->symbolic,
  });
}

/// Notes an image whose file may have the function. Without symbols in the file nobody can know:
/// that is worth a word for the program, and for images that were asked about by name.
static crebind_status add_suspect(struct crebind_diagnosing *diagnosing,
                                  const struct crebind_world *world, size_t index) {
  struct crebind_suspect *suspect = crebind_vector_append(&diagnosing->suspects, 1);
  if (suspect == NULL) return CREBIND_OUT_OF_MEMORY;
  suspect->image = crebind_gather_image(&diagnosing->strings, world, index);
  suspect->is_likely = crebind_world_image(world, index)->is_main
                       || diagnosing->handle->batch.options.scope == CREBIND_SCOPE_IMAGES;
  return crebind_portraits_add(&diagnosing->portraits, world, index)
                 && !diagnosing->strings.lacks_memory
             ? CREBIND_OK
             : CREBIND_OUT_OF_MEMORY;
}

// MARK: - All

/// Why the image's slots cannot be changed; "" where they lie in code, or unaligned.
static const char *why_unchangeable(const struct count *count) {
  if (count->undefined == count->slots)
    return crebind_detail_of_undefined(count->weak == count->slots);
  return count->in_data != 0 ? "assigned" : "";
}

/// Counts the slots that a rebinding of all kinds would serve.
static crebind_status count_other_kinds(struct crebind_diagnosing *diagnosing,
                                        struct crebind_slot_scan *scan, struct count *count) {
  unsigned kinds = diagnosing->handle->batch.options.slot_kinds;
  struct count others = {.world = count->world, .item = count->item, .index = count->index};
  crebind_status status = crebind_slot_scan_visit(
      scan, crebind_world_image(count->world, count->index),
      crebind_world_dynamic(count->world, count->index), CREBIND_ALL_SLOT_KINDS & ~kinds,
      count_slot, &others);
  if (others.others == 0) count->other_kinds = others.slots - others.undefined;
  return status;
}

/// True if the image exports the name, if only in another version than the one asked for.
static bool exports_name(const struct crebind_world *world, const struct crebind_item *item,
                         size_t index) {
  const struct crebind_item any = {.name = item->name};
  return crebind_item_is_exported_by(world, &any, index, NULL);
}

struct reasons {
  struct crebind_diagnosing *diagnosing;
  const struct crebind_world *world;
  size_t index;
  crebind_status status;
};

static void add_found(crebind_reason reason, const char *detail, size_t slots, void *context) {
  struct reasons *reasons = context;
  // Images out of scope may export the name otherwise, too: see look_for_exports.
  if (reasons->status == CREBIND_OK && reason != CREBIND_REASON_NOT_DEFINED)
    reasons->status = crebind_add_image_diagnosis(reasons->diagnosing, reasons->world,
                                                  reasons->index, reason, detail, slots);
}

static crebind_status add_reasons(struct crebind_diagnosing *diagnosing,
                                  const struct crebind_world *world, const struct count *count,
                                  const struct crebind_image_facts *facts) {
  struct reasons reasons = {diagnosing, world, count->index, CREBIND_OK};
  bool is_suspect = crebind_visit_reasons(facts, add_found, &reasons);
  if (count->others != 0 && facts->is_in_scope)
    add_found(count->other_reason, count->other_detail, count->others, &reasons);
  return is_suspect && reasons.status == CREBIND_OK
             ? add_suspect(diagnosing, world, count->index)
             : reasons.status;
}

crebind_status crebind_diagnose_image(struct crebind_diagnosing *diagnosing,
                                      struct crebind_attempt *attempt,
                                      struct crebind_slot_scan *scan, size_t index) {
  struct crebind_world *world = &attempt->world;
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  const struct crebind_batch *batch = &diagnosing->handle->batch;
  struct count count = {
      .world = world, .item = crebind_diagnosing_item(diagnosing), .index = index};
  struct planned planned = {0, 0, 0, 0};
  crebind_status status = crebind_slot_scan_match(scan, dynamic, &batch->names);
  if (status == CREBIND_OK)
    status = crebind_slot_scan_visit(scan, crebind_world_image(world, index), dynamic,
                                     batch->options.slot_kinds, count_slot, &count);
  if (status == CREBIND_OK) status = count_planned(diagnosing, world, index, &planned);
  bool is_planned = planned.changeable + planned.sealed + planned.left_alone != 0;
  bool in_scope = crebind_handle_selects(diagnosing->handle, world, index);
  if (status == CREBIND_OK && in_scope && !is_planned && count.slots == 0)
    status = count_other_kinds(diagnosing, scan, &count);
  if (status != CREBIND_OK) return status;

  bool asks = crebind_slot_scan_asks(scan, dynamic);
  struct crebind_fixed_slots fixed = {count.slots, why_unchangeable(&count)};
  struct crebind_image_facts facts = {
      .is_in_scope = in_scope,
      .changeable = planned.changeable,
      .in_data = planned.in_data,
      .bypassed = count.bypassed,
      .sealed = planned.sealed,
      .left_alone = planned.left_alone,
      .other_kinds = count.other_kinds,
      .fixed = &fixed,
      .fixed_count = !is_planned && count.others == 0 && count.slots != 0,
      .has_other_references = count.others != 0,
      .is_packed = asks && dynamic->is_packed,
      .asks = asks,
      .definition = detail_of_definition(world, count.item, index),
      .other_definition = exports_name(world, count.item, index) ? "version" : NULL,
  };
  status = add_reasons(diagnosing, world, &count, &facts);
  return status == CREBIND_OK && in_scope ? add_variants(diagnosing, scan, world, index) : status;
}
#endif
