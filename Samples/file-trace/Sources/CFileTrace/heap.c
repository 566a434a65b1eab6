#include "CFileTrace.h"

#include <malloc.h>
#include <stdlib.h>

bool file_trace_heap_is_ready(void) {
  enum { SIZE = 64 };
  void *memory = malloc(SIZE);
  bool is_ready = memory != NULL && malloc_usable_size(memory) >= SIZE;
  free(memory);
  return is_ready;
}
