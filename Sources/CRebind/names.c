#define _GNU_SOURCE
#include "names.h"

bool crebind_names_begin(struct crebind_names *names, const struct crebind_name *items,
                         size_t capacity) {
  memset(names, 0, sizeof *names);
  names->items = items;
  size_t size = 16;
  while (size < capacity * 2) size *= 2;
  names->table = crebind_pages(size * sizeof *names->table);
  if (names->table == NULL) return false;
  names->table_mask = (uint32_t)size - 1;
  return true;
}

int64_t crebind_names_find_equal(const struct crebind_names *names,
                                 const struct crebind_name *name) {
  for (uint32_t at = name->gnu_hash & names->table_mask; names->table[at] != 0;
       at = (at + 1) & names->table_mask)
    if (crebind_equal(names->items[names->table[at] - 1].string, name->string))
      return names->table[at] - 1;
  return -1;
}

size_t crebind_names_add(struct crebind_names *names) {
  const struct crebind_name *name = &names->items[names->count];
  int64_t equal = crebind_names_find_equal(names, name);
  if (equal >= 0) return (size_t)equal;
  uint32_t at = name->gnu_hash & names->table_mask;
  while (names->table[at] != 0) at = (at + 1) & names->table_mask;
  names->table[at] = (uint32_t)++names->count;
  if (name->length < CREBIND_PREFIX_SIZE - 1) {
    names->has_short_name = true;
  } else {
    uint32_t bit = crebind_prefix_bit(name->string);
    names->prefixes[bit / 64] |= UINT64_C(1) << bit % 64;
  }
  return names->count - 1;
}

void crebind_names_free(struct crebind_names *names) {
  if (names->table != NULL)
    crebind_pages_free(names->table, ((size_t)names->table_mask + 1) * sizeof *names->table);
  names->table = NULL;
}

int64_t crebind_names_find_whole(const struct crebind_names *names,
                                 const struct crebind_dynamic *dynamic,
                                 const ElfW(Sym) * symbol) {
  const char *string = dynamic->strings + symbol->st_name;
  size_t room = dynamic->strings_size - symbol->st_name;
  uint32_t hash = 5381;
  for (size_t i = 0; i < room && string[i] != 0; i++)
    hash = hash * 33 + (unsigned char)string[i];
  for (uint32_t at = hash & names->table_mask; names->table[at] != 0;
       at = (at + 1) & names->table_mask) {
    const struct crebind_name *name = &names->items[names->table[at] - 1];
    if (name->gnu_hash == hash
        && crebind_symbol_is_named(dynamic, symbol, name->string, name->length))
      return names->table[at] - 1;
  }
  return -1;
}
