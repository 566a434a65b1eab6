/// Who else has hooked this process?

#define _GNU_SOURCE
#include "attempt.h"
#include "gather.h"

#include <errno.h>

struct finding {
  struct crebind_gathered_slot slot;
  struct crebind_gathered_image target;
  size_t target_symbol;
  uintptr_t target_offset;
  bool is_ours;
};

struct audit {
  struct crebind_world *world;
  size_t index;  // of the image that is being walked
  struct crebind_vector findings;  // struct finding
  struct crebind_strings strings;
};

/// True if any image defines the name at this address: which of them the loader
/// took is not told apart (RTLD_DEEPBIND leaves no trace).
static bool is_definition(struct audit *audit, const struct crebind_name *name, uintptr_t target) {
  struct crebind_world *world = audit->world;
  for (size_t i = 0; i < world->images.items.count; i++) {
    const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, i);
    struct crebind_symbol_walk walk;
    crebind_symbol_walk_begin(&walk, dynamic, name->string, name->length, name->gnu_hash);
    for (size_t s; (s = crebind_symbol_walk_next(&walk)) != 0;) {
      const ElfW(Sym) *symbol = &dynamic->symbols[s];
      if (symbol->st_value == 0 || (symbol->st_info & 0xf) == STT_TLS) continue;
      uintptr_t word = crebind_base_word(crebind_world_known(world, i),
                                         (const uintptr_t *)&symbol->st_value);
      if (crebind_symbol_address(&world->images, i, symbol, word) == target) return true;
    }
  }
  return false;
}

/// Names the nearest symbol at or below an address.
static void describe_target(struct audit *audit, uintptr_t target, struct finding *finding) {
  const struct crebind_world *world = audit->world;
  size_t index = crebind_world_image_with(world, target);
  finding->target = crebind_gather_image(&audit->strings, world, index);
  finding->target_symbol = 0;
  finding->target_offset = 0;
  if (index == SIZE_MAX) return;
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  uint32_t known = crebind_world_known(world, index);
  uintptr_t offset = target - crebind_world_image(world, index)->bias, nearest = 0;
  size_t count = crebind_symbol_count(dynamic);
  for (size_t i = 1; i < count && i < dynamic->symbol_limit; i++) {
    const ElfW(Sym) *symbol = &dynamic->symbols[i];
    if (symbol->st_shndx == SHN_UNDEF || (symbol->st_info & 0xf) == STT_TLS) continue;
    // Where it is, whatever it has been redirected to.
    uintptr_t value = crebind_base_word(known, (const uintptr_t *)&symbol->st_value);
    if (value > offset || value <= nearest) continue;
    nearest = value;
    finding->target_symbol =
        crebind_strings_add(&audit->strings, crebind_dynamic_string(dynamic, symbol->st_name));
  }
  finding->target_offset = nearest == 0 ? target - crebind_world_image(world, index)->header
                                        : offset - nearest;
}

static crebind_status visit_slot(void *context, const struct crebind_slot *slot, uint32_t unused) {
  (void)unused;
  struct audit *audit = context;
  struct crebind_world *world = audit->world;
  const struct crebind_image *image = crebind_world_image(world, audit->index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, audit->index);
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, slot->symbol);
  if (symbol == NULL || symbol->st_info >> 4 == STB_LOCAL || (symbol->st_info & 0xf) == STT_TLS
      || slot->address % sizeof(uintptr_t) != 0
      || !crebind_image_can_read(image, slot->address, sizeof(uintptr_t)))
    return CREBIND_OK;
  bool is_relro = slot->address >= image->relro.start && slot->address < image->relro.end;
  if (slot->kind == CREBIND_ABSOLUTE && !is_relro) return CREBIND_OK;
  uintptr_t word = __atomic_load_n((const uintptr_t *)slot->address, __ATOMIC_ACQUIRE);
  uintptr_t target = word - (uintptr_t)slot->addend;
  if (target == 0 || crebind_is_unresolved(image, slot, word)) return CREBIND_OK;
  const char *string = crebind_dynamic_string(dynamic, symbol->st_name);
  if (string == NULL || string[0] == 0) return CREBIND_OK;

  struct crebind_name name = {string, crebind_length(string), crebind_gnu_hash(string)};
  uintptr_t expected;
  size_t definer;
  crebind_status status = crebind_world_resolve(
      world, audit->index, &name, crebind_symbol_version(image, dynamic, slot->symbol).name, false,
      &expected, &definer);
  if (status != CREBIND_OK) return status;
  if (target == expected || target == crebind_canonical_plt_entry(world, &name)
      || is_definition(audit, &name, target))
    return CREBIND_OK;

  struct crebind_entry entry = {
      .address = slot->address,
      .original = expected,
      .value = expected + (uintptr_t)slot->addend,
      .image = crebind_world_known(world, audit->index),
      .symbol = slot->symbol,
      .kind = (uint8_t)slot->kind,
  };
  struct finding *finding = crebind_vector_append(&audit->findings, 1);
  if (finding == NULL) return CREBIND_OUT_OF_MEMORY;
  finding->slot = crebind_gather_slot(&audit->strings, world, &entry);
  finding->is_ours = crebind_is_replacement(&name, target);
  describe_target(audit, target, finding);
  return CREBIND_OK;
}

static crebind_status audit_locked(struct crebind_attempt *attempt, void *context) {
  struct audit *audit = context;
  audit->world = &attempt->world;
  audit->findings.count = 0;
  for (size_t i = 0; i < attempt->world.images.items.count; i++) {
    const struct crebind_image *image = crebind_world_image(&attempt->world, i);
    if (image->is_vdso || image->is_loader) continue;
    audit->index = i;
    crebind_status status =
        crebind_slot_scan_visit(NULL, image, crebind_world_dynamic(&attempt->world, i),
                                CREBIND_ALL_SLOT_KINDS, visit_slot, audit);
    if (status != CREBIND_OK) return status;
  }
  return CREBIND_OK;
}

crebind_status crebind_audit(crebind_finding_visitor *visit, void *context,
                             crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  int saved_errno = errno;
  struct audit audit = {.findings = CREBIND_VECTOR(struct finding)};
  crebind_strings_begin(&audit.strings);
  crebind_status status = crebind_attempt(audit_locked, &audit, NULL, error);
  errno = saved_errno;
  for (size_t i = 0; i < audit.findings.count && status == CREBIND_OK; i++) {
    const struct finding *finding = crebind_vector_at(&audit.findings, i);
    crebind_finding info = {
        .slot = crebind_slot_of(&audit.strings, &finding->slot),
        .target = crebind_image_of(&audit.strings, &finding->target),
        .target_symbol = crebind_strings_at(&audit.strings, finding->target_symbol),
        .target_offset = finding->target_offset,
        .is_ours = finding->is_ours,
    };
    visit(&info, context);
  }
  crebind_vector_free(&audit.findings);
  crebind_vector_free(&audit.strings.bytes);
  return status;
}
