#define _GNU_SOURCE
#include "CFileTrace.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

/// Our own functions have frame pointers, as Swift's have by default. Further up nothing is
/// relied on: the first return address outside of this image is the caller's. Where
/// a function has jumped to the traced one instead of calling it, it is its caller's.
const char *file_trace_calling_image(void) {
  struct dl_find_object own, image;
  if (_dl_find_object((void *)file_trace_calling_image, &own) != 0) return NULL;
  void **frame = __builtin_frame_address(0);
  while (own.dlfo_map_start <= frame[1] && frame[1] < own.dlfo_map_end) frame = frame[0];
  return _dl_find_object(frame[1], &image) == 0 ? image.dlfo_link_map->l_name : NULL;
}
