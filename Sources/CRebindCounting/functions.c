#if defined(__linux__)
#include "functions.h"

_Static_assert(CREBIND_COUNTING_FUNCTION_COUNT <= 32, "FunctionCalls.swift has room for 32");

void *crebind_counting_originals[CREBIND_COUNTING_FUNCTION_COUNT];
size_t (*crebind_counting_usable_size)(void *block) = crebind_counting_no_size;

size_t crebind_counting_no_size(void *block) {
  (void)block;
  return 0;
}

#define FUNCTION(constant, group, total, symbol) \
  {#symbol, CREBIND_COUNTING_##group, CREBIND_COUNTING_TOTAL_##total},

static const struct {
  const char *name;
  crebind_counting_group group;
  crebind_counting_total total;
} functions[CREBIND_COUNTING_FUNCTION_COUNT] = {CREBIND_COUNTED_FUNCTIONS(FUNCTION)};

const char *crebind_counting_name(crebind_counting_function function) {
  return functions[function].name;
}

crebind_counting_group crebind_counting_group_of(crebind_counting_function function) {
  return functions[function].group;
}

crebind_counting_total crebind_counting_total_of(crebind_counting_function function) {
  return functions[function].total;
}

bool crebind_counting_is_principal(crebind_counting_function function) {
  crebind_counting_total total = functions[function].total;
  return total != CREBIND_COUNTING_TOTAL_REMAPPINGS
         && (function == 0 || total != functions[function - 1].total);
}
#endif
