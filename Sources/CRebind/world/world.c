#if defined(__linux__)
#define _GNU_SOURCE
#include "world/world.h"

struct memo {
  const char *name, *version;
  uintptr_t function;
  struct crebind_definition definition;
};

crebind_status crebind_world_begin(struct crebind_world *world, struct crebind_handle *new_handle) {
  memset(world, 0, sizeof *world);
  world->new_handle = new_handle;
  world->dynamics = CREBIND_VECTOR(struct crebind_dynamic);
  world->broken_tags = CREBIND_VECTOR(int64_t);
  world->known_of = CREBIND_VECTOR(uint32_t);
  world->memo = CREBIND_VECTOR(struct memo);
  crebind_scopes_begin(&world->scopes, &world->images, NULL, &world->versions);
  return crebind_images_read(&world->images);
}

void crebind_world_end(struct crebind_world *world) {
  crebind_images_free(&world->images);
  crebind_vector_free(&world->dynamics);
  crebind_vector_free(&world->broken_tags);
  crebind_vector_free(&world->known_of);
  crebind_vector_free(&world->memo);
  crebind_scopes_end(&world->scopes);
}

const char *crebind_soname(const struct crebind_dynamic *dynamic) {
  const char *soname = dynamic->soname == SIZE_MAX || dynamic->strings == NULL
                           ? NULL
                           : crebind_dynamic_string(dynamic, dynamic->soname);
  return soname != NULL ? soname : "";
}

// MARK: - Known images

/// Decodes the dynamic tables of a world that has none yet.
static bool decode(struct crebind_world *world) {
  size_t count = world->images.items.count;
  if (crebind_vector_append(&world->dynamics, count) == NULL
      || crebind_vector_append(&world->broken_tags, count) == NULL
      || crebind_vector_append(&world->known_of, count) == NULL)
    return false;
  for (size_t i = 0; i < count; i++) {
    struct crebind_dynamic *dynamic = crebind_vector_at(&world->dynamics, i);
    int64_t *tag = crebind_vector_at(&world->broken_tags, i);
    *tag = INT64_MIN;
    int64_t broken;
    if (crebind_dynamic_decode(crebind_world_image(world, i), dynamic, &broken) == CREBIND_OK)
      continue;
    *tag = broken;
    crebind_dynamic_clear(dynamic);  // it defines and imports nothing
  }
  crebind_scopes_fill(&world->scopes, (const struct crebind_dynamic *)world->dynamics.data,
                      (const uint32_t *)world->known_of.data);
  world->is_filled = true;
  return true;
}

/// Enters an image that the records do not have.
static bool enter(const struct crebind_world *world, size_t index, uint32_t *known,
                  size_t *next_free) {
  const char *soname = crebind_soname(crebind_world_dynamic(world, index));
  if (!crebind_known_enter(&world->images, index, soname, known, next_free)) return false;
  crebind_forget_decisions(*known);
  if (world->new_handle != NULL)
    crebind_decide(&world->new_handle->decisions, *known, CREBIND_UNDECIDED);
  return true;
}

crebind_status crebind_world_fill(struct crebind_world *world) {
  // The records may have changed since the attempt before.
  crebind_vector_truncate(&world->memo, 0);
  if (!world->is_filled && !decode(world)) return CREBIND_OUT_OF_MEMORY;
  size_t count = world->images.items.count;
  uint32_t *known_of = (uint32_t *)world->known_of.data;
  crebind_known_find(&world->images, known_of);
  crebind_status status = crebind_known_compact() ? CREBIND_OK : CREBIND_OUT_OF_MEMORY;
  size_t next_free = 0;
  for (size_t i = 0; i < count && status == CREBIND_OK; i++)
    if (known_of[i] == UINT32_MAX && !enter(world, i, &known_of[i], &next_free))
      status = CREBIND_OUT_OF_MEMORY;
  return status;
}

// MARK: - Questions

void crebind_world_forget_answers(struct crebind_world *world) {
  crebind_vector_truncate(&world->memo, 0);
}

/// Twice the names that are asked about, or more.
static size_t memo_size(const struct crebind_world *world) {
  size_t names = world->new_handle == NULL ? 0 : world->new_handle->batch.names.count, size = 1024;
  while (size < names * 2) size *= 2;
  return size;
}

/// The place of a name and version in the memo; NULL without memory.
static struct memo *memo_place(struct crebind_world *world, const struct crebind_name *name) {
  if (world->memo.count == 0
      && crebind_vector_append(&world->memo, memo_size(world)) == NULL)
    return NULL;
  return crebind_vector_at(&world->memo, name->gnu_hash & (world->memo.count - 1));
}

/// The function that a definition is of, without any of us; 0 for an IFUNC whose resolver
/// has to be called first, or must not be.
static uintptr_t function_of(struct crebind_world *world, struct crebind_definition definition) {
  const ElfW(Sym) *symbol =
      &crebind_world_dynamic(world, definition.image)->symbols[definition.symbol];
  uintptr_t word = crebind_base_word(crebind_world_known(world, definition.image),
                                     (const uintptr_t *)&symbol->st_value);
  return crebind_symbol_address(&world->scopes, definition.image, symbol, word);
}

crebind_status crebind_world_bind(struct crebind_world *world, size_t from,
                                  const struct crebind_name *name, const char *version,
                                  bool wants_default, uintptr_t *function,
                                  struct crebind_definition *definition) {
  // An image linked with -Bsymbolic asks itself first.
  bool asks_global_first = !wants_default && !crebind_world_dynamic(world, from)->symbolic;
  struct memo *memo = asks_global_first ? memo_place(world, name) : NULL;
  if (memo != NULL && memo->function != 0 && crebind_is_same_version(memo->version, version)
      && (memo->name == name->string || crebind_equal(memo->name, name->string))) {
    *function = memo->function;
    *definition = memo->definition;
    return CREBIND_OK;
  }
  struct crebind_reference reference = {*name, version, wants_default};
  crebind_status status = crebind_scopes_lookup(&world->scopes, from, &reference, definition);
  *function = 0;
  if (status != CREBIND_OK || definition->image == SIZE_MAX) return status;
  *function = function_of(world, *definition);
  if (memo != NULL && crebind_scopes_is_global(&world->scopes, *definition))
    *memo = (struct memo){name->string, version, *function, *definition};
  return CREBIND_OK;
}

crebind_status crebind_world_resolve(struct crebind_world *world, size_t from,
                                     const struct crebind_name *name, const char *version,
                                     bool wants_default, uintptr_t *function, size_t *definer) {
  struct crebind_definition definition;
  crebind_status status =
      crebind_world_bind(world, from, name, version, wants_default, function, &definition);
  *definer = definition.image;
  return status;
}

static bool is_offered_ifunc(const ElfW(Sym) * symbol) {
  return crebind_symbol_is_offered(symbol) && (symbol->st_info & 0xf) == STT_GNU_IFUNC;
}

/// Without us, and as it is: a batch may lie on top of another one.
static void ask_resolver(struct crebind_world *world, struct crebind_definition definition) {
  function_of(world, definition);
  crebind_scopes_current_address(&world->scopes, definition);
}

/// Asks about each version of the name: an image may be bound to an old one.
static void ask_resolvers_of(struct crebind_world *world, size_t index,
                             const struct crebind_name *name) {
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  if (!crebind_symbol_may_be_hashed(dynamic, name->gnu_hash)) return;
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, name);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;)
    if (is_offered_ifunc(crebind_symbol(dynamic, i)))
      ask_resolver(world, (struct crebind_definition){index, i});
}

/// Asks the resolvers that an image has for all these names. It looks at each symbol of the image,
/// which has a few IFUNCs.
static void ask_resolvers_of_image(struct crebind_world *world, size_t index,
                                   const struct crebind_names *names) {
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  size_t count = crebind_readable_symbol_count(dynamic);
  for (size_t i = 1; i < count; i++) {
    const ElfW(Sym) *symbol = &dynamic->symbols[i];
    if (is_offered_ifunc(symbol) && crebind_names_find(names, dynamic, symbol) >= 0)
      ask_resolver(world, (struct crebind_definition){index, i});
  }
}

/// With more names, images are asked for their IFUNCs, and not for each name.
enum { MANY_NAMES = 256 };

crebind_status crebind_world_ask_resolvers(struct crebind_world *world,
                                           const struct crebind_names *names) {
  for (size_t i = 0; i < world->images.items.count; i++) {
    bool is_outside;
    crebind_status status = crebind_scopes_is_outside(&world->scopes, i, &is_outside);
    if (status != CREBIND_OK) return status;
    if (is_outside) continue;
    if (names->count > MANY_NAMES)
      ask_resolvers_of_image(world, i, names);
    else
      for (size_t n = 0; n < names->count; n++) ask_resolvers_of(world, i, &names->items[n]);
  }
  return CREBIND_OK;
}

crebind_image_info crebind_world_info(const struct crebind_world *world, size_t index) {
  const struct crebind_image *image = crebind_world_image(world, index);
  return (crebind_image_info){
      .path = crebind_image_path(&world->images, image),
      .soname = crebind_soname(crebind_world_dynamic(world, index)),
      .header = (const void *)image->header,
      .slide = (intptr_t)image->bias,
  };
}

size_t crebind_world_find(const struct crebind_world *world, const void *header) {
  for (size_t i = 0; i < world->images.items.count; i++)
    if (header != NULL && crebind_world_image(world, i)->header == (uintptr_t)header) return i;
  return SIZE_MAX;
}

size_t crebind_world_image_with(const struct crebind_world *world, uintptr_t address) {
  for (size_t i = 0; i < world->images.items.count; i++)
    if (crebind_image_segment(crebind_world_image(world, i), address, 1) != NULL) return i;
  return SIZE_MAX;
}

bool crebind_world_is_library(const struct crebind_world *world, size_t index,
                              const char *library) {
  const char *path = crebind_image_path(&world->images, crebind_world_image(world, index));
  return crebind_equal(path, library) || crebind_equal(crebind_basename(path), library)
         || crebind_equal(crebind_soname(crebind_world_dynamic(world, index)), library);
}
#endif
