#if defined(__linux__)
#define _GNU_SOURCE
#include "imports/import-scan.h"
#include "arrivals/new-images.h"
#include "looking/target.h"

// MARK: - Tables

/// Where to begin in a table: the hashes of names that are numbered follow each other.
static size_t place_of(uint32_t hash) { return hash * 2654435769u >> 8; }

/// Files `entries`, each of which begins with its hash, in the table of their places.
static void file(const struct crebind_vector *entries, struct crebind_vector *places) {
  uint32_t *table = (uint32_t *)places->data;
  memset(table, 0, places->count * sizeof *table);
  for (size_t i = 0; i < entries->count; i++) {
    size_t at = place_of(*(const uint32_t *)crebind_vector_at(entries, i));
    while (table[at & (places->count - 1)] != 0) at++;
    table[at & (places->count - 1)] = (uint32_t)i + 1;
  }
}

/// Makes room for one more. False without memory.
static bool make_room(const struct crebind_vector *entries, struct crebind_vector *places) {
  if (entries->count * 2 < places->count) return true;
  size_t more = places->count == 0 ? 1024 : places->count;
  if (crebind_vector_append(places, more) == NULL) return false;
  file(entries, places);
  return true;
}

/// The entry with this hash at `*at` or behind it, NULL for none. Moves `*at` behind it. The table is
/// not full.
static void *next_with_hash(const struct crebind_vector *entries,
                            const struct crebind_vector *places, uint32_t hash, size_t *at) {
  if (places->count == 0) return NULL;
  const uint32_t *table = (const uint32_t *)places->data;
  for (uint32_t place; (place = table[*at & (places->count - 1)]) != 0;) {
    ++*at;
    uint32_t *entry = crebind_vector_at(entries, place - 1);
    if (*entry == hash) return entry;
  }
  return NULL;
}

/// Adds an entry, which the caller fills in beside the hash. NULL without memory.
static void *add_with_hash(struct crebind_vector *entries, struct crebind_vector *places,
                           uint32_t hash) {
  if (!make_room(entries, places)) return NULL;
  uint32_t *entry = crebind_vector_push(entries);
  if (entry == NULL) return NULL;
  *entry = hash;
  uint32_t *table = (uint32_t *)places->data;
  size_t at = place_of(hash);
  while (table[at & (places->count - 1)] != 0) at++;
  table[at & (places->count - 1)] = (uint32_t)entries->count;
  return entry;
}

// MARK: - Asked before

struct crebind_asked_import {
  uint32_t hash;
  struct crebind_exact_definition exact;
};

void crebind_asked_imports_begin(struct crebind_asked_imports *asked) {
  asked->keys = CREBIND_VECTOR(struct crebind_asked_import);
  asked->places = CREBIND_VECTOR(uint32_t);
}

void crebind_asked_imports_end(struct crebind_asked_imports *asked) {
  crebind_vector_free(&asked->keys);
  crebind_vector_free(&asked->places);
}

void crebind_asked_imports_settle(struct crebind_asked_imports *asked) {
  asked->settled = asked->keys.count;
}

void crebind_asked_imports_take_back(struct crebind_asked_imports *asked) {
  if (asked->keys.count == asked->settled) return;
  crebind_vector_truncate(&asked->keys, asked->settled);
  file(&asked->keys, &asked->places);
}

bool crebind_asked_imports_add(struct crebind_asked_imports *asked,
                               const struct crebind_found_import *import) {
  struct crebind_asked_import *added = add_with_hash(&asked->keys, &asked->places, import->hash);
  if (added == NULL) return false;
  added->exact = import->exact;
  return true;
}

bool crebind_is_serial_present(uint64_t serial) {
  for (size_t i = 0; i < crebind_known_count(); i++) {
    const struct crebind_known_image *known = crebind_known_image_at(i);
    if (known->serial == serial) return known->is_present;
  }
  return false;
}

void crebind_asked_imports_forget_gone(struct crebind_asked_imports *asked) {
  size_t kept = 0;
  // Definitions of an image mostly follow each other.
  uint64_t last = 0;
  bool is_present = false;
  for (size_t i = 0; i < asked->keys.count; i++) {
    const struct crebind_asked_import *key = crebind_vector_at(&asked->keys, i);
    if (key->exact.image != last) is_present = crebind_is_serial_present(key->exact.image);
    last = key->exact.image;
    if (is_present)
      *(struct crebind_asked_import *)crebind_vector_at(&asked->keys, kept++) = *key;
  }
  asked->settled = kept;
  crebind_asked_imports_take_back(asked);
}

static bool was_asked(const struct crebind_asked_imports *asked, uint32_t hash,
                      struct crebind_exact_definition exact) {
  size_t at = place_of(hash);
  for (const struct crebind_asked_import *key;
       (key = next_with_hash(&asked->keys, &asked->places, hash, &at)) != NULL;)
    if (key->exact.image == exact.image && key->exact.symbol == exact.symbol) return true;
  return false;
}

// MARK: - The walk

/// A name that images ask for, in a version or in none, and the definition that this led to.
struct reference {
  uint32_t hash;
  const char *name, *version;
  struct crebind_definition definition;
  /// Every image is bound to it that is not linked with -Bsymbolic.
  bool is_global;
};

struct walk {
  struct crebind_import_scan *scan;
  struct crebind_world *world;
  size_t index;
  struct crebind_vector references;  // struct reference
  struct crebind_vector places;      // uint32_t, of `references`
  struct crebind_vector images;      // struct crebind_gathered_image, by image; header 0: not yet
  /// For each symbol the number of the image whose slot had it last, plus one: most have several.
  struct crebind_vector seen;  // uint32_t
};

/// The reference of an earlier image that leads where this one leads, too; NULL for none.
static const struct reference *find_reference(const struct walk *walk,
                                              const struct crebind_name *name,
                                              const char *version) {
  size_t at = place_of(name->gnu_hash);
  for (const struct reference *reference;
       (reference = next_with_hash(&walk->references, &walk->places, name->gnu_hash, &at)) != NULL;)
    if (reference->is_global && crebind_is_same_version(reference->version, version)
        && crebind_equal(reference->name, name->string))
      return reference;
  return NULL;
}

static bool is_found(const struct walk *walk, const struct crebind_name *name,
                     struct crebind_definition definition) {
  size_t at = place_of(name->gnu_hash);
  for (const struct reference *reference;
       (reference = next_with_hash(&walk->references, &walk->places, name->gnu_hash, &at)) != NULL;)
    if (reference->definition.image == definition.image
        && reference->definition.symbol == definition.symbol)
      return true;
  return false;
}

static struct crebind_gathered_image image_of(struct walk *walk, size_t index) {
  struct crebind_gathered_image *image = crebind_vector_at(&walk->images, index);
  if (image->header == 0)
    *image = crebind_gather_image(&walk->scan->strings, walk->world, index);
  return *image;
}

static bool gather(struct walk *walk, const struct crebind_slot *slot,
                   const struct crebind_name *name, struct crebind_definition definition) {
  const struct crebind_world *world = walk->world;
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, definition.image);
  uint32_t known = crebind_world_known(world, definition.image);
  const struct crebind_exact_definition exact = {crebind_known_image_at(known)->serial,
                                                 definition.symbol};
  if (was_asked(walk->scan->asked, name->gnu_hash, exact)) return true;
  const char *version =
      crebind_versions_find(world->scopes.versions, crebind_world_image(world, definition.image),
                            dynamic, definition.symbol)
          .name;
  struct crebind_found_import *found = crebind_vector_push(&walk->scan->found);
  if (found == NULL) return false;
  struct crebind_strings *strings = &walk->scan->strings;
  *found = (struct crebind_found_import){
      .hash = name->gnu_hash,
      .exact = exact,
      .name = crebind_strings_add(strings, name->string),
      .version = crebind_strings_add(strings, version),
      .image = image_of(walk, walk->index),
      .definer = image_of(walk, definition.image),
      .kind = slot->kind,
      .type = dynamic->symbols[definition.symbol].st_info & 0xf,
  };
  return true;
}

/// Finds what a slot's symbol is bound to, unless an earlier slot had the same.
static crebind_status scan_symbol(struct walk *walk, const struct crebind_slot *slot,
                                  const struct crebind_name *name) {
  struct crebind_world *world = walk->world;
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, walk->index);
  const char *version =
      crebind_versions_find(world->scopes.versions, crebind_world_image(world, walk->index),
                            dynamic, slot->symbol)
          .name;
  if (!dynamic->symbolic && find_reference(walk, name, version) != NULL) return CREBIND_OK;
  const struct crebind_reference asked = {*name, version, false};
  struct crebind_definition definition;
  crebind_status status =
      crebind_scopes_lookup(&world->scopes, walk->index, &asked, &definition);
  if (status != CREBIND_OK) return status;
  if (definition.image == SIZE_MAX) {
    walk->scan->undefined += crebind_symbol(dynamic, slot->symbol)->st_info >> 4 != STB_WEAK;
    return CREBIND_OK;
  }
  bool is_new = !is_found(walk, name, definition);
  bool is_global = !dynamic->symbolic && crebind_scopes_is_global(&world->scopes, definition);
  // Other images look for it elsewhere.
  if (!is_new && !is_global) return CREBIND_OK;
  struct reference *reference =
      add_with_hash(&walk->references, &walk->places, name->gnu_hash);
  if (reference == NULL) return CREBIND_OUT_OF_MEMORY;
  *reference = (struct reference){
      .hash = name->gnu_hash,
      .name = name->string,
      .version = version,
      .definition = definition,
      .is_global = is_global,
  };
  return !is_new || gather(walk, slot, name, definition) ? CREBIND_OK : CREBIND_OUT_OF_MEMORY;
}

static crebind_status scan_slot(void *context, const struct crebind_slot *slot, uint32_t unused) {
  (void)unused;
  struct walk *walk = context;
  uint32_t number = (uint32_t)walk->index + 1;
  if (slot->symbol < walk->seen.count
      && *(const uint32_t *)crebind_vector_at(&walk->seen, slot->symbol) == number)
    return CREBIND_OK;
  struct crebind_name name;
  if (!crebind_slot_is_judgeable(walk->world, walk->index, slot, &name)) return CREBIND_OK;
  if (slot->symbol >= walk->seen.count
      && crebind_vector_append(&walk->seen, slot->symbol + 1 - walk->seen.count) == NULL)
    return CREBIND_OUT_OF_MEMORY;
  *(uint32_t *)crebind_vector_at(&walk->seen, slot->symbol) = number;
  return scan_symbol(walk, slot, &name);
}

static crebind_status scan_locked(struct crebind_attempt *attempt, void *context) {
  struct crebind_import_scan *scan = context;
  struct crebind_world *world = &attempt->world;
  crebind_status status = crebind_attempt_ask(attempt, scan->handle);
  if (status != CREBIND_OK) return status;
  struct walk walk = {
      .scan = scan,
      .world = world,
      .references = CREBIND_VECTOR(struct reference),
      .places = CREBIND_VECTOR(uint32_t),
      .images = CREBIND_VECTOR(struct crebind_gathered_image),
      .seen = CREBIND_VECTOR(uint32_t),
  };
  if (crebind_vector_append(&walk.images, world->images.items.count) == NULL)
    return CREBIND_OUT_OF_MEMORY;
  crebind_vector_truncate(&scan->found, 0);
  crebind_vector_truncate(&scan->strings.bytes, 0);
  scan->undefined = 0;
  for (size_t i = 0; i < world->images.items.count && status == CREBIND_OK; i++) {
    const struct crebind_image *image = crebind_world_image(world, i);
    if ((scan->header != NULL && (uintptr_t)scan->header != image->header)
        || !crebind_handle_selects(scan->handle, world, i))
      continue;
    walk.index = i;
    status = crebind_slot_scan_visit(NULL, image, crebind_world_dynamic(world, i),
                                     scan->handle->batch.options.slot_kinds, scan_slot, &walk);
  }
  crebind_vector_free(&walk.references);
  crebind_vector_free(&walk.places);
  crebind_vector_free(&walk.images);
  crebind_vector_free(&walk.seen);
  return status != CREBIND_OK || crebind_strings_have_taken(&scan->strings)
             ? status
             : CREBIND_OUT_OF_MEMORY;
}

void crebind_import_scan_begin(struct crebind_import_scan *scan) {
  scan->found = CREBIND_VECTOR(struct crebind_found_import);
  crebind_strings_begin(&scan->strings);
}

void crebind_import_scan_end(struct crebind_import_scan *scan) {
  crebind_vector_free(&scan->found);
  crebind_vector_free(&scan->strings.bytes);
}

crebind_status crebind_import_scan_run(struct crebind_import_scan *scan, crebind_error *error) {
  return crebind_attempt(scan_locked, scan, scan->handle, error);
}
#endif
