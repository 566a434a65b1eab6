#if defined(__linux__)
#define _GNU_SOURCE
#include "looking/target.h"
#include "runtime/status.h"
#include "planning/slot-word.h"
#include "transactions/attempt.h"
#include "world/look.h"

// MARK: - Judging

bool crebind_slot_is_judgeable(const struct crebind_world *world, size_t index,
                               const struct crebind_slot *slot, struct crebind_name *name) {
  const struct crebind_image *image = crebind_world_image(world, index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, slot->symbol);
  if (symbol == NULL || symbol->st_info >> 4 == STB_LOCAL || (symbol->st_info & 0xf) == STT_TLS
      // The loader binds a hidden symbol to the image itself, even where that has none.
      || (symbol->st_other & 3) == STV_HIDDEN || (symbol->st_other & 3) == STV_INTERNAL
      || slot->address % sizeof(uintptr_t) != 0
      || !crebind_image_can_read(image, slot->address, sizeof(uintptr_t)))
    return false;
  const char *string = crebind_dynamic_string(dynamic, symbol->st_name);
  if (string == NULL || string[0] == 0) return false;
  *name = crebind_name_of(string);
  return true;
}

/// The right place for a slot to lead to: the beginning of a definition of its name. If the addend
/// was in the slot and is gone, it is any place in the definition.
struct aim {
  const struct crebind_name *name;
  uintptr_t target;
  bool may_be_inside;
};

/// True if the image has a definition that is aimed at.
static bool defines(struct crebind_world *world, size_t index, const struct aim *aim) {
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, aim->name);
  for (size_t s; (s = crebind_symbol_walk_next(&walk)) != 0;) {
    const ElfW(Sym) *symbol = &dynamic->symbols[s];
    if (symbol->st_value == 0 || (symbol->st_info & 0xf) == STT_TLS) continue;
    uintptr_t word = crebind_base_word(crebind_world_known(world, index),
                                       (const uintptr_t *)&symbol->st_value);
    uintptr_t address = crebind_symbol_address(&world->scopes, index, symbol, word);
    if (aim->target == address
        || (aim->may_be_inside && address != 0 && aim->target - address < symbol->st_size))
      return true;
  }
  return false;
}

/// True if any image has one: which of them the loader took is not told apart
/// (RTLD_DEEPBIND leaves no trace).
static bool is_definition(struct crebind_world *world, const struct crebind_slot *slot,
                          const struct crebind_name *name, uintptr_t target) {
  struct aim aim = {name, target, slot->kind == CREBIND_ABSOLUTE && slot->tag == DT_REL};
  // Mostly the image that holds the address.
  size_t holder = crebind_world_image_with(world, target);
  if (holder != SIZE_MAX && defines(world, holder, &aim)) return true;
  for (size_t i = 0; i < world->images.items.count; i++)
    if (i != holder && defines(world, i, &aim)) return true;
  return false;
}

bool crebind_slot_leads_home(struct crebind_world *world, size_t index,
                             const struct crebind_slot *slot, const struct crebind_name *name) {
  uintptr_t word = crebind_load_word(slot->address);
  uintptr_t target = word - slot->added;
  return target == 0 || crebind_is_unresolved(crebind_world_image(world, index), slot, word)
         || target == crebind_canonical_plt_entry(world, name)
         || is_definition(world, slot, name, target);
}

crebind_status crebind_judge_slot(struct crebind_world *world, size_t index,
                                  const struct crebind_slot *slot,
                                  const struct crebind_name *name,
                                  struct crebind_judgement *judgement) {
  const struct crebind_image *image = crebind_world_image(world, index);
  uintptr_t word = crebind_load_word(slot->address);
  *judgement = (struct crebind_judgement){
      .word = word,
      .target = word - slot->added,
      .definer = SIZE_MAX,
      .is_unresolved = crebind_is_unresolved(image, slot, word),
      .rebinder = CREBIND_REBOUND_BY_NOBODY,
  };
  uintptr_t target = judgement->target;
  if (target == 0 || judgement->is_unresolved) return CREBIND_OK;
  const char *version =
      crebind_symbol_version(image, crebind_world_dynamic(world, index), slot->symbol).name;
  crebind_status status = crebind_world_resolve(world, index, name, version, false,
                                                &judgement->expected, &judgement->definer);
  if (status != CREBIND_OK || target == judgement->expected
      || target == crebind_canonical_plt_entry(world, name)
      || is_definition(world, slot, name, target))
    return status;
  if (crebind_is_replacement(name, target))
    judgement->rebinder = CREBIND_REBOUND_BY_US;
  else if (slot->kind != CREBIND_ABSOLUTE || crebind_slot_is_relro(image, slot))
    judgement->rebinder = CREBIND_REBOUND_BY_SOMEONE_ELSE;
  return CREBIND_OK;
}

// MARK: - Describing

/// True if `name` is the better one of two names for one place.
static bool is_better(const struct crebind_dynamic *dynamic, const ElfW(Sym) * name,
                      const ElfW(Sym) * other, const struct crebind_name *hint) {
  if (crebind_symbol_is_named(dynamic, other, hint)) return false;
  if (crebind_symbol_is_named(dynamic, name, hint)) return true;
  // `getpid` rather than `__getpid`.
  const char *text = crebind_dynamic_string(dynamic, name->st_name);
  const char *other_text = crebind_dynamic_string(dynamic, other->st_name);
  return text != NULL && text[0] != '_' && (other_text == NULL || other_text[0] == '_');
}

struct crebind_gathered_target crebind_gather_target(struct crebind_strings *strings,
                                                     const struct crebind_world *world,
                                                     uintptr_t address, const char *hint) {
  struct crebind_gathered_target target = {.address = address};
  size_t index = crebind_world_image_with(world, address);
  if (index == SIZE_MAX) return target;
  const struct crebind_image *image = crebind_world_image(world, index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  target.image = crebind_gather_image(strings, world, index);
  target.offset = address - image->header;
  uintptr_t asked = address - image->bias, nearest_value = 0;
  size_t count = crebind_readable_symbol_count(dynamic);
  const struct crebind_name name = crebind_name_of(hint);
  const ElfW(Sym) *nearest = NULL;
  for (size_t i = 1; i < count; i++) {
    const ElfW(Sym) *symbol = &dynamic->symbols[i];
    if (symbol->st_shndx == SHN_ABS || (symbol->st_info & 0xf) == STT_TLS) continue;
    // Where it is, whatever it has been redirected to.
    uintptr_t value = crebind_base_word(crebind_world_known(world, index),
                                        (const uintptr_t *)&symbol->st_value);
    // The rule of glibc's dladdr. A canonical PLT entry is undefined, with a value.
    if (value == 0 || value > asked) continue;
    if (value != asked && (symbol->st_shndx == SHN_UNDEF || asked - value >= symbol->st_size))
      continue;
    if (nearest != NULL && value < nearest_value) continue;
    if (nearest != NULL && value == nearest_value
        && !is_better(dynamic, symbol, nearest, &name))
      continue;
    nearest = symbol;
    nearest_value = value;
  }
  if (nearest == NULL) return target;
  target.symbol = crebind_strings_add(strings, crebind_dynamic_string(dynamic, nearest->st_name));
  target.offset = asked - nearest_value;
  return target;
}

crebind_target crebind_target_of(const struct crebind_strings *strings,
                                 const struct crebind_gathered_target *target) {
  return (crebind_target){
      .address = target->address,
      .image = crebind_image_of(strings, &target->image),
      .symbol = crebind_strings_at(strings, target->symbol),
      .offset = target->offset,
  };
}

struct description {
  struct crebind_gathered_target target;
  struct crebind_strings strings;
};

static crebind_status describe(struct crebind_look *look, void *context) {
  struct description *description = context;
  description->target = crebind_gather_target(&description->strings, &look->world,
                                              description->target.address, "");
  return CREBIND_OK;
}

crebind_status crebind_describe_address(uintptr_t address, crebind_target_visitor *visit,
                                        void *context, crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  struct description description = {.target = {.address = address}};
  crebind_strings_begin(&description.strings);
  crebind_status status = crebind_look(describe, &description, error);
  if (status == CREBIND_OK) {
    crebind_target target = crebind_target_of(&description.strings, &description.target);
    visit(&target, context);
  }
  crebind_vector_free(&description.strings.bytes);
  return status;
}
#endif
