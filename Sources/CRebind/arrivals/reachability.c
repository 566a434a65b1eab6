#if defined(__linux__)
#define _GNU_SOURCE
#include "arrivals/reachability.h"
#include "binding/interceptor.h"
#include "planning/selection.h"
#include "arrivals/new-images.h"

crebind_status crebind_check_reach(const struct crebind_world *world,
                                   const struct crebind_batch *batch,
                                   const struct crebind_item *item) {
  crebind_expectation expected = batch->options.expects;
  if (expected == CREBIND_EXPECT_NOTHING) return CREBIND_OK;
  // This is checked first: for such a batch, no image that comes later helps.
  if (!crebind_options_serve_later_images(&batch->options)) return CREBIND_UNREACHED;
  bool must_be_defined = expected == CREBIND_EXPECT_DEFINED && !item->may_come_later;
  return must_be_defined && !crebind_item_is_exported(world, item) ? CREBIND_UNDEFINED
                                                                   : CREBIND_OK;
}

bool crebind_is_intercepted(const struct crebind_world *world, const struct crebind_handle *handle,
                            const struct crebind_item *item) {
  // The loader lists the program first.
  return crebind_world_image(world, 0)->is_main && crebind_handle_selects(handle, world, 0)
         && crebind_is_interceptor(crebind_world_dynamic(world, 0), &item->name);
}
#endif
