#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/interceptor.h"

static bool is_offered(const struct crebind_dynamic *dynamic, const struct crebind_name *name) {
  struct crebind_symbol_walk walk;
  crebind_symbol_walk_begin(&walk, dynamic, name);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;)
    if (crebind_symbol_is_offered(crebind_symbol(dynamic, i))) return true;
  return false;
}

bool crebind_is_interceptor(const struct crebind_dynamic *dynamic,
                            const struct crebind_name *name) {
  static const char prefix[] = "__interceptor_";
  enum { PREFIX = sizeof prefix - 1, LONGEST = 64 };
  char string[PREFIX + LONGEST + 1];
  if (name->length > LONGEST || !crebind_symbol_may_be_hashed(dynamic, name->gnu_hash)
      || !is_offered(dynamic, name))
    return false;
  memcpy(string, prefix, PREFIX);
  memcpy(string + PREFIX, name->string, name->length + 1);
  const struct crebind_name interceptor = {string, PREFIX + name->length,
                                           crebind_gnu_hash(string)};
  return is_offered(dynamic, &interceptor);
}
#endif
