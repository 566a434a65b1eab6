#define _GNU_SOURCE
#include "storing/reach.h"
#include "binding/interceptor.h"
#include "storing/selection.h"

/// True if the image exports what the item asks for.
static bool exports(const struct crebind_world *world, size_t index,
                    const struct crebind_item *item) {
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, index);
  const struct crebind_name *name = &item->name;
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, name->string, name->length, name->gnu_hash);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;) {
    const char *version =
        crebind_symbol_version(crebind_world_image(world, index), dynamic, i).name;
    if (crebind_symbol_is_offered(crebind_symbol(dynamic, i))
        && crebind_item_selects(world, item, version, index))
      return true;
  }
  return false;
}

static bool is_exported(const struct crebind_world *world, const struct crebind_item *item) {
  for (size_t i = 0; i < world->images.items.count; i++)
    if (!crebind_world_image(world, i)->is_vdso && exports(world, i, item)) return true;
  return false;
}

crebind_status crebind_judge_reach(const struct crebind_world *world,
                                   const struct crebind_batch *batch,
                                   const struct crebind_item *item) {
  crebind_expectation expected = batch->options.expects;
  if (expected == CREBIND_EXPECT_NOTHING) return CREBIND_OK;
  if (expected == CREBIND_EXPECT_DEFINED && !is_exported(world, item)) return CREBIND_UNDEFINED;
  return crebind_batch_serves_later_images(batch) ? CREBIND_OK : CREBIND_UNREACHED;
}

bool crebind_is_intercepted(const struct crebind_world *world, const struct crebind_batch *batch,
                            const struct crebind_item *item) {
  // The loader lists the program first.
  const struct crebind_image *image = crebind_world_image(world, 0);
  return image->is_main && crebind_batch_selects(batch, image)
         && crebind_is_interceptor(crebind_world_dynamic(world, 0), &item->name);
}
