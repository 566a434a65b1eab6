/// The section headers that have been read, by known image.

#if defined(__linux__)
#define _GNU_SOURCE
#include "runtime/lock.h"
#include "sections/section-headers.h"

struct filed {
  /// The serial number of the known image; 0 for an empty row.
  uint64_t serial;
  /// The loader's counts when the file was proven.
  struct crebind_counts counts;
  bool has_build_id;
  struct crebind_section_table_answer answer;
};

/// Guarded by our lock.
static struct crebind_vector tables = {NULL, 0, 0, sizeof(struct filed), false};

/// This code may be part of an image that is unloaded.
__attribute__((destructor)) static void forget_tables(void) {
  if (!crebind_try_lock()) return;
  for (size_t i = 0; i < tables.count; i++)
    crebind_section_table_free(((struct filed *)crebind_vector_at(&tables, i))->answer.table);
  crebind_vector_free(&tables);
  crebind_unlock();
}

/// Its fingerprint tells an image with a build ID from others. Without one it may have been
/// replaced by a look-alike, if any image has gone and this one may have.
static bool is_valid(struct crebind_world *world, size_t index, uint64_t serial,
                     struct crebind_counts counts, bool has_build_id) {
  if (serial != crebind_known_image_at(crebind_world_known(world, index))->serial) return false;
  if (has_build_id || !crebind_images_may_be_others(&world->images, counts)
      || crebind_world_image(world, index)->is_vdso)
    return true;
  bool may_be_unloaded;
  return crebind_scopes_may_be_unloaded(&world->scopes, index, &may_be_unloaded) == CREBIND_OK
         && !may_be_unloaded;
}

const struct crebind_section_table_answer *crebind_section_table_known(struct crebind_world *world,
                                                                       size_t index) {
  uint32_t known = crebind_world_known(world, index);
  if (known >= tables.count) return NULL;
  struct filed *filed = crebind_vector_at(&tables, known);
  if (!is_valid(world, index, filed->serial, filed->counts, filed->has_build_id))
    return NULL;
  filed->counts = world->images.counts;
  return &filed->answer;
}

static crebind_status file_answer(struct crebind_world *world,
                                  const struct crebind_portraits *portraits,
                                  const struct crebind_portrait *portrait,
                                  const struct crebind_section_table_answer *answer) {
  const struct crebind_known_image *known = crebind_known_image_at(portrait->known);
  if (known->serial != portrait->serial || known->index >= world->images.items.count
      || !is_valid(world, known->index, portrait->serial, portraits->counts,
                   portrait->build_id_size != 0))
    return CREBIND_NO_SUCH_IMAGE;
  if (tables.count <= portrait->known
      && crebind_vector_append(&tables, portrait->known + 1 - tables.count) == NULL)
    return CREBIND_OUT_OF_MEMORY;
  struct filed *filed = crebind_vector_at(&tables, portrait->known);
  // The file was missing before, and may have annotations.
  if (filed->serial == portrait->serial && filed->answer.table == NULL && answer->table != NULL)
    crebind_annotation_event();
  crebind_section_table_free(filed->answer.table);
  *filed = (struct filed){portrait->serial, world->images.counts,
                          portrait->build_id_size != 0, *answer};
  return CREBIND_OK;
}

crebind_status crebind_section_table_file(struct crebind_world *world,
                                          const struct crebind_portraits *portraits,
                                          const struct crebind_portrait *portrait,
                                          struct crebind_section_table_answer *answer) {
  crebind_status status = file_answer(world, portraits, portrait, answer);
  if (status != CREBIND_OK) crebind_section_table_free(answer->table);
  answer->table = NULL;
  return status;
}
#endif
