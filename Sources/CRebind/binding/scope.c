#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/scope.h"
#include "binding/records.h"
#include "elf/note.h"

static const struct crebind_definition none = {SIZE_MAX, 0};

void crebind_scopes_begin(struct crebind_scopes *scopes, const struct crebind_images *images,
                          const struct crebind_dynamic *dynamics,
                          struct crebind_versions *versions) {
  scopes->images = images;
  scopes->versions = versions;
  scopes->dynamics = dynamics;
  scopes->first_edge = CREBIND_VECTOR(uint32_t);
  scopes->edges = CREBIND_VECTOR(uint32_t);
  scopes->is_global = CREBIND_VECTOR(bool);
  scopes->queue = CREBIND_VECTOR(uint32_t);
  scopes->visited = CREBIND_VECTOR(bool);
  scopes->local_scopes_of = 0;
  scopes->local_scopes = CREBIND_VECTOR(uint32_t);
  scopes->is_listed = CREBIND_VECTOR(bool);
  scopes->answers = NULL;
  scopes->ifuncs = NULL;
  scopes->known_of = NULL;
  scopes->is_ready = false;
}

void crebind_scopes_fill(struct crebind_scopes *scopes, const struct crebind_dynamic *dynamics,
                         const uint32_t *known_of) {
  scopes->dynamics = dynamics;
  scopes->known_of = known_of;
}

void crebind_scopes_ask_with(struct crebind_scopes *scopes, struct crebind_loader_answers *answers,
                             struct crebind_ifuncs *ifuncs) {
  scopes->answers = answers;
  scopes->ifuncs = ifuncs;
}

void crebind_scopes_end(struct crebind_scopes *scopes) {
  crebind_vector_free(&scopes->first_edge);
  crebind_vector_free(&scopes->edges);
  crebind_vector_free(&scopes->is_global);
  crebind_vector_free(&scopes->queue);
  crebind_vector_free(&scopes->visited);
  crebind_vector_free(&scopes->local_scopes);
  crebind_vector_free(&scopes->is_listed);
}

// MARK: - Dependencies

/// DT_SONAME, or NULL.
static const char *soname_of(const struct crebind_scopes *scopes, size_t index) {
  const struct crebind_dynamic *dynamic = &scopes->dynamics[index];
  return dynamic->soname == SIZE_MAX ? NULL : crebind_dynamic_string(dynamic, dynamic->soname);
}

static const char *file_of(const struct crebind_scopes *scopes, size_t index) {
  return crebind_basename(
      crebind_image_path(scopes->images, crebind_image_at(scopes->images, index)));
}

/// True if a DT_NEEDED entry may call the image so: by its soname, or, where another
/// file has been put in place since, by the name of that.
static bool is_called(const struct crebind_scopes *scopes, size_t index, const char *name) {
  const char *soname = soname_of(scopes, index);
  return (soname != NULL && crebind_equal(soname, name))
         || crebind_equal(file_of(scopes, index), name);
}

/// Images by the hashes of their names, with linear probing; each plus one.
struct name_table {
  uint32_t *places;
  size_t mask;
};

static void file_name(struct name_table *table, const char *name, size_t index) {
  uint32_t at = crebind_gnu_hash(name);
  while (table->places[at & table->mask] != 0) at++;
  table->places[at & table->mask] = (uint32_t)index + 1;
}

/// The image that a DT_NEEDED entry calls by `name`, or SIZE_MAX.
static size_t find_called(const struct crebind_scopes *scopes, const struct name_table *table,
                          const char *name) {
  uint32_t at = crebind_gnu_hash(name);
  for (uint32_t place; (place = table->places[at & table->mask]) != 0; at++)
    if (is_called(scopes, place - 1, name)) return place - 1;
  return SIZE_MAX;
}

static bool append_index(struct crebind_vector *indices, uint32_t index) {
  uint32_t *place = crebind_vector_append(indices, 1);
  if (place == NULL) return false;
  *place = index;
  return true;
}

static bool append_edges_of(struct crebind_scopes *scopes, size_t index,
                            const struct name_table *table) {
  const struct crebind_image *image = crebind_image_at(scopes->images, index);
  // Nothing can be read from a broken table.
  if (scopes->dynamics[index].strings == NULL) return true;
  for (size_t d = 0; d < image->dynamic_count && image->dynamic[d].d_tag != DT_NULL; d++) {
    if (image->dynamic[d].d_tag != DT_NEEDED) continue;
    const char *needed =
        crebind_dynamic_string(&scopes->dynamics[index], image->dynamic[d].d_un.d_val);
    if (needed == NULL) continue;
    size_t found = find_called(scopes, table, crebind_basename(needed));
    if (found != SIZE_MAX && !append_index(&scopes->edges, (uint32_t)found)) return false;
  }
  return true;
}

/// Fills `edges`, with the names in a hash table made for it.
static bool read_edges(struct crebind_scopes *scopes) {
  size_t count = scopes->images->items.count, size = 16;
  while (size < count * 4) size *= 2;
  struct name_table table = {crebind_memory(size * sizeof *table.places), size - 1};
  if (table.places == NULL) return false;
  // Of the images with a name, a look finds the one that is filed first, as the loader does.
  for (size_t i = 0; i < count; i++) {
    const char *soname = soname_of(scopes, i), *file = file_of(scopes, i);
    if (soname != NULL) file_name(&table, soname, i);
    if (soname == NULL || !crebind_equal(soname, file)) file_name(&table, file, i);
  }

  bool has_memory = true;
  for (size_t i = 0; i < count && has_memory; i++)
    has_memory = append_index(&scopes->first_edge, (uint32_t)scopes->edges.count)
                 && append_edges_of(scopes, i, &table);
  has_memory = has_memory && append_index(&scopes->first_edge, (uint32_t)scopes->edges.count);
  crebind_memory_free(table.places, size * sizeof *table.places);
  return has_memory;
}

/// The images that a search from `root` reaches, breadth first, into `queue`.
/// Leaves out the images that are marked in `visited`, and marks those it visits.
static void search(struct crebind_scopes *scopes, uint32_t root, bool *visited) {
  const uint32_t *first = (const uint32_t *)scopes->first_edge.data;
  const uint32_t *edges = (const uint32_t *)scopes->edges.data;
  uint32_t *queue = (uint32_t *)scopes->queue.data;
  size_t count = 0;
  if (!visited[root]) queue[count++] = root;
  visited[root] = true;
  for (size_t i = 0; i < count; i++) {
    for (uint32_t e = first[queue[i]]; e < first[queue[i] + 1]; e++) {
      if (visited[edges[e]]) continue;
      visited[edges[e]] = true;
      queue[count++] = edges[e];
    }
  }
  scopes->queue.count = count;
}

/// Marks the global scope. The loader lists the program first, then preloaded images, then those
/// that these need, and images that are opened later behind all of them. So any image that stands
/// before one that these need was loaded at start, too.
static void mark_global(struct crebind_scopes *scopes) {
  bool *is_global = (bool *)scopes->is_global.data;
  uint32_t last = 0;
  // Everybody needs the interpreter; musl's by a name that it does not have.
  for (uint32_t i = 0; i < scopes->images->items.count; i++)
    if (crebind_image_at(scopes->images, i)->is_interpreter) last = i;
  for (uint32_t root = 0; root <= last; root++) {
    search(scopes, root, is_global);
    for (size_t i = 0; i < scopes->queue.count; i++) {
      uint32_t found = ((const uint32_t *)scopes->queue.data)[i];
      if (found > last) last = found;
    }
  }
}

static crebind_status prepare(struct crebind_scopes *scopes) {
  if (scopes->is_ready) return CREBIND_OK;
  size_t count = scopes->images->items.count;
  // Memory may have run out half way.
  struct crebind_vector *made[] = {&scopes->first_edge, &scopes->edges, &scopes->is_global,
                                   &scopes->visited, &scopes->queue};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) crebind_vector_truncate(made[i], 0);
  if (!read_edges(scopes) || crebind_vector_append(&scopes->is_global, count) == NULL
      || crebind_vector_append(&scopes->visited, count) == NULL
      || crebind_vector_append(&scopes->queue, count) == NULL)
    return CREBIND_OUT_OF_MEMORY;
  memset(scopes->is_global.data, 0, count * sizeof(bool));
  mark_global(scopes);
  scopes->global_end = scopes->outside_count = 0;
  for (size_t i = 0; i < count; i++)
    if (((const bool *)scopes->is_global.data)[i])
      scopes->global_end = i + 1;
    else
      scopes->outside_count++;
  scopes->is_ready = true;
  return CREBIND_OK;
}

crebind_status crebind_scopes_is_outside(struct crebind_scopes *scopes, size_t image,
                                         bool *is_outside) {
  crebind_status status = prepare(scopes);
  if (status == CREBIND_OK) *is_outside = !((const bool *)scopes->is_global.data)[image];
  return status;
}

crebind_status crebind_scopes_may_be_unloaded(struct crebind_scopes *scopes, size_t image,
                                              bool *may_be) {
  crebind_status status = crebind_scopes_is_outside(scopes, image, may_be);
  // The global scope of a namespace of dlmopen goes with its last image.
  if (status == CREBIND_OK) *may_be |= !crebind_image_at(scopes->images, 0)->is_main;
  return status;
}

// MARK: - Lookup

// musl takes the first definition whose version is not hidden.
#ifdef __GLIBC__
enum { COMPARES_VERSIONS = 1 };
#else
enum { COMPARES_VERSIONS = 0 };
#endif

// By the rules of glibc's do_lookup_x: a version must be equal, unless the
// definition has none; without one, the base version or else the default one is taken.
struct crebind_definition crebind_scopes_offer(const struct crebind_scopes *scopes,
                                               size_t index,
                                               const struct crebind_reference *reference) {
  const struct crebind_image *image = crebind_image_at(scopes->images, index);
  const struct crebind_dynamic *dynamic = &scopes->dynamics[index];
  struct crebind_definition fallback = none;
  if (image->is_vdso) return none;
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, &reference->name);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;) {
    if (!crebind_symbol_is_offered(&dynamic->symbols[i])) continue;
    struct crebind_version version =
        crebind_versions_find(scopes->versions, image, dynamic, i);
    bool serves_any = version.name == NULL || !COMPARES_VERSIONS;
    if (serves_any && !version.is_hidden) return (struct crebind_definition){index, i};
    if (serves_any) continue;
    if (reference->version != NULL) {
      if (crebind_equal(version.name, reference->version))
        return (struct crebind_definition){index, i};
    } else if (!reference->wants_default && (dynamic->versym[i] & 0x7fff) == 2) {
      return (struct crebind_definition){index, i};
    } else if (!version.is_hidden && fallback.image == SIZE_MAX) {
      fallback = (struct crebind_definition){index, i};
    }
  }
  return fallback;
}

static bool may_offer(const struct crebind_scopes *scopes, size_t index,
                      const struct crebind_reference *reference) {
  return crebind_symbol_may_be_hashed(&scopes->dynamics[index], reference->name.gnu_hash);
}

/// The first definition in the global scope, as it was at start, in front of image `end`.
static struct crebind_definition find_global(const struct crebind_scopes *scopes, size_t end,
                                             const struct crebind_reference *reference) {
  const bool *is_global = (const bool *)scopes->is_global.data;
  struct crebind_definition found = none;
  if (end > scopes->global_end) end = scopes->global_end;
  for (size_t i = 0; i < end && found.image == SIZE_MAX; i++)
    if (is_global[i] && may_offer(scopes, i, reference))
      found = crebind_scopes_offer(scopes, i, reference);
  return found;
}

/// Searches the local scope of image `root`, without the global one, into `queue`. Returns
/// true if image `from` is in it, and so looks through it.
static bool search_local(struct crebind_scopes *scopes, uint32_t root, size_t from) {
  bool *visited = (bool *)scopes->visited.data;
  memcpy(visited, scopes->is_global.data, scopes->images->items.count * sizeof *visited);
  if (visited[root]) return false;
  search(scopes, root, visited);
  return visited[from];
}

/// Lists what image `from`, which is outside of the global scope, looks through beside that: the
/// local scopes of the images that lead to it, in load order. False without memory.
static bool list_local_scopes(struct crebind_scopes *scopes, size_t from) {
  if (scopes->local_scopes_of == from + 1) return true;
  scopes->local_scopes_of = 0;
  crebind_vector_truncate(&scopes->local_scopes, 0);
  crebind_vector_truncate(&scopes->is_listed, 0);
  bool *is_listed = crebind_vector_append(&scopes->is_listed, scopes->images->items.count);
  if (is_listed == NULL) return false;
  for (uint32_t root = 0; root < scopes->images->items.count
                          && scopes->local_scopes.count < scopes->outside_count;
       root++) {
    if (!search_local(scopes, root, from)) continue;
    for (size_t i = 0; i < scopes->queue.count; i++) {
      uint32_t image = ((const uint32_t *)scopes->queue.data)[i];
      if (!is_listed[image] && !append_index(&scopes->local_scopes, image)) return false;
      is_listed[image] = true;
    }
  }
  scopes->local_scopes_of = from + 1;
  return true;
}

/// Looks through the local scopes of image `from`.
static crebind_status find_in_local_scopes(struct crebind_scopes *scopes, size_t from,
                                           const struct crebind_reference *reference,
                                           struct crebind_definition *definition) {
  if (!list_local_scopes(scopes, from)) return CREBIND_OUT_OF_MEMORY;
  for (size_t i = 0; i < scopes->local_scopes.count && definition->image == SIZE_MAX; i++) {
    uint32_t image = ((const uint32_t *)scopes->local_scopes.data)[i];
    if (may_offer(scopes, image, reference))
      *definition = crebind_scopes_offer(scopes, image, reference);
  }
  return CREBIND_OK;
}

bool crebind_scopes_reach_locally(struct crebind_scopes *scopes, size_t from, size_t definer) {
  if (prepare(scopes) != CREBIND_OK) return false;
  const bool *is_global = (const bool *)scopes->is_global.data;
  if (is_global[from] || is_global[definer]) return false;
  for (uint32_t root = 0; root < scopes->images->items.count; root++)
    if (search_local(scopes, root, from) && ((const bool *)scopes->visited.data)[definer])
      return true;
  return false;
}

/// The first definition that an image outside of the global scope offers, from
/// image `from` on.
static struct crebind_definition next_outside(const struct crebind_scopes *scopes, size_t from,
                                              const struct crebind_reference *reference) {
  const bool *is_global = (const bool *)scopes->is_global.data;
  for (size_t i = from; i < scopes->images->items.count; i++) {
    if (is_global[i] || !may_offer(scopes, i, reference)) continue;
    struct crebind_definition found = crebind_scopes_offer(scopes, i, reference);
    if (found.image != SIZE_MAX) return found;
  }
  return none;
}

uintptr_t crebind_scopes_current_address(struct crebind_scopes *scopes,
                                         struct crebind_definition definition) {
  const ElfW(Sym) *symbol = &scopes->dynamics[definition.image].symbols[definition.symbol];
  uintptr_t value = __atomic_load_n((const uintptr_t *)&symbol->st_value, __ATOMIC_ACQUIRE);
  return crebind_symbol_address(scopes, definition.image, symbol, value);
}

/// The definition outside of the global scope that leads to an address, or none.
static struct crebind_definition find_at_address(struct crebind_scopes *scopes,
                                                 const struct crebind_reference *reference,
                                                 struct crebind_definition first,
                                                 uintptr_t address) {
  struct crebind_definition next = first;
  while (next.image != SIZE_MAX && crebind_scopes_current_address(scopes, next) != address)
    next = next_outside(scopes, next.image + 1, reference);
  return next;
}

/// True if the loader may find a definition without a version outside of the global
/// scope, where it serves a reference with one as well.
static bool is_unversioned_outside(const struct crebind_scopes *scopes,
                                   const struct crebind_reference *reference,
                                   struct crebind_definition first) {
  for (; first.image != SIZE_MAX; first = next_outside(scopes, first.image + 1, reference))
    if (crebind_symbol_version(crebind_image_at(scopes->images, first.image),
                               &scopes->dynamics[first.image], first.symbol)
            .name
        == NULL)
      return true;
  return false;
}

/// The address that the loader gives for a name in the global scope; 0 if the loader has none, or
/// has not answered yet. Returns false without memory.
static bool ask(const struct crebind_scopes *scopes, const struct crebind_reference *reference,
                const char *version, uintptr_t *address) {
  const struct crebind_loader_answer *answer;
  *address = 0;
  if (!crebind_loader_answers_find(scopes->answers, reference->name.string, version,
                                   reference->name.gnu_hash, &answer))
    return false;
  if (answer != NULL) *address = answer->address;
  return true;
}

/// Looks through the images that were opened with RTLD_GLOBAL: the loader says
/// whether they have the name, and its address tells which of them.
///
/// \param has_any Receives true if one of them has it, even where none is found.
static crebind_status find_in_opened(struct crebind_scopes *scopes,
                                     const struct crebind_reference *reference,
                                     struct crebind_definition first,
                                     struct crebind_definition *definition, bool *has_any) {
  uintptr_t address, unversioned = 0;
  *has_any = false;
  if (!ask(scopes, reference, reference->version, &address)) return CREBIND_OUT_OF_MEMORY;
  // dlvsym does not find definitions without a version.
  if (reference->version != NULL && is_unversioned_outside(scopes, reference, first)
      && !ask(scopes, reference, NULL, &unversioned))
    return CREBIND_OUT_OF_MEMORY;
  if (unversioned != 0) *definition = find_at_address(scopes, reference, first, unversioned);
  *has_any = address != 0;
  if (definition->image == SIZE_MAX && address != 0)
    *definition = find_at_address(scopes, reference, first, address);
  return CREBIND_OK;
}

/// Looks through the images outside of the global scope.
static crebind_status find_outside(struct crebind_scopes *scopes, size_t from,
                                   const struct crebind_reference *reference,
                                   struct crebind_definition *definition) {
  struct crebind_definition first = next_outside(scopes, 0, reference), local = none;
  if (first.image == SIZE_MAX) return CREBIND_OK;
  crebind_status status = CREBIND_OK;
  if (!((const bool *)scopes->is_global.data)[from])
    status = find_in_local_scopes(scopes, from, reference, &local);
  if (status != CREBIND_OK) return status;
  // Without another one the loader need not be asked, which may take a while.
  bool is_only = next_outside(scopes, first.image + 1, reference).image == SIZE_MAX;
  bool is_opened = false;
  if (scopes->answers != NULL && !(is_only && local.image == first.image))
    status = find_in_opened(scopes, reference, first, definition, &is_opened);
  // The first one for want of a better: another version may have the address.
  if (definition->image == SIZE_MAX) *definition = is_opened ? first : local;
  return status;
}

crebind_status crebind_scopes_lookup(struct crebind_scopes *scopes, size_t from,
                                     const struct crebind_reference *reference,
                                     struct crebind_definition *definition) {
  *definition = none;
  crebind_status status = prepare(scopes);
  if (status != CREBIND_OK) return status;
  if (scopes->dynamics[from].symbolic)
    *definition = crebind_scopes_offer(scopes, from, reference);
  if (definition->image == SIZE_MAX)
    *definition = find_global(scopes, scopes->images->items.count, reference);
  return definition->image == SIZE_MAX ? find_outside(scopes, from, reference, definition)
                                       : CREBIND_OK;
}

bool crebind_scopes_have_before(const struct crebind_scopes *scopes, size_t index,
                                const struct crebind_reference *reference) {
  return find_global(scopes, index, reference).image != SIZE_MAX;
}

crebind_status crebind_scopes_elect_outside(struct crebind_scopes *scopes,
                                            const struct crebind_reference *reference,
                                            struct crebind_definition *definition,
                                            bool *is_contested) {
  *definition = none;
  *is_contested = false;
  if (find_global(scopes, scopes->images->items.count, reference).image != SIZE_MAX)
    return CREBIND_OK;
  struct crebind_definition first = next_outside(scopes, 0, reference);
  if (first.image == SIZE_MAX
      || next_outside(scopes, first.image + 1, reference).image == SIZE_MAX) {
    *definition = first;
    return CREBIND_OK;
  }
  *is_contested = true;
  if (scopes->answers == NULL) return CREBIND_OK;
  bool is_opened;
  return find_in_opened(scopes, reference, first, definition, &is_opened);
}

// MARK: - Addresses

static bool has_code_at(const struct crebind_images *images, size_t index, uintptr_t address) {
  const ElfW(Phdr) *segment =
      crebind_image_segment(crebind_image_at(images, index), address, 1);
  return segment != NULL && (segment->p_flags & PF_X) != 0;
}

/// The image that an IFUNC's resolver is in: its own, or, where another copy of CRebind has
/// redirected the definition, that one's. SIZE_MAX for none.
static size_t find_code(const struct crebind_images *images, size_t own, uintptr_t address) {
  if (has_code_at(images, own, address)) return own;
  for (size_t i = 0; i < images->items.count; i++)
    if (has_code_at(images, i, address)) return i;
  return SIZE_MAX;
}

static void hold(struct crebind_scopes *scopes, size_t index) {
  const struct crebind_known_image *known = crebind_known_image_at(scopes->known_of[index]);
  crebind_ifuncs_add_image(scopes->ifuncs, &(struct crebind_ifunc_image){
                                               .header = known->header,
                                               .dynamic = (uintptr_t)known->dynamic,
                                               .generation = known->generation,
                                           });
}

/// \param holder The image that the resolver is in.
static void put_question(struct crebind_scopes *scopes, size_t index, size_t holder,
                         uintptr_t resolver) {
  bool may_be_unloaded;
  if (crebind_scopes_may_be_unloaded(scopes, holder, &may_be_unloaded) != CREBIND_OK) {
    scopes->ifuncs->lacks_memory = true;
    return;
  }
  const struct crebind_ifunc question = {
      .resolver = resolver,
      .serial = crebind_known_image_at(scopes->known_of[holder])->serial,
      // The resolvers of a copy of CRebind give one function now, and another one later.
      .lasts = holder == index && !may_be_unloaded
               && !crebind_image_has_copy(crebind_image_at(scopes->images, holder)),
  };
  if (!crebind_ifuncs_put(scopes->ifuncs, &question) || !may_be_unloaded) return;
  hold(scopes, holder);
  // Those that lead to it have what it looks through.
  for (uint32_t root = 0; root < scopes->images->items.count; root++)
    if (root != holder && search_local(scopes, root, holder)) hold(scopes, root);
}

uintptr_t crebind_symbol_address(struct crebind_scopes *scopes, size_t index,
                                 const ElfW(Sym) * symbol, uintptr_t value) {
  const struct crebind_image *image = crebind_image_at(scopes->images, index);
  uintptr_t address = symbol->st_shndx == SHN_ABS ? value : image->bias + value;
  if ((symbol->st_info & 0xf) != STT_GNU_IFUNC) return address;
  size_t holder = scopes->ifuncs == NULL ? SIZE_MAX : find_code(scopes->images, index, address);
  if (holder == SIZE_MAX) return 0;
  uint64_t serial = crebind_known_image_at(scopes->known_of[holder])->serial;
  const struct crebind_ifunc *ifunc = crebind_ifuncs_find(scopes->ifuncs, address, serial);
  if (ifunc == NULL) put_question(scopes, index, holder, address);
  return ifunc == NULL ? 0 : ifunc->function;
}
#endif
