#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/names.h"

size_t crebind_names_table_size(size_t capacity) {
  size_t size = 16;
  while (size < capacity * 2) size *= 2;
  return size;
}

void crebind_names_begin(struct crebind_names *names, const struct crebind_name *items,
                         uint32_t *table, size_t size) {
  memset(names, 0, sizeof *names);
  names->items = items;
  names->table = table;
  names->table_mask = (uint32_t)size - 1;
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

/// Four characters at a time.
static bool is_same(const char *a, const char *b, size_t length) {
  struct __attribute__((packed, may_alias)) four {
    uint32_t characters;
  };
  size_t i = 0;
  for (; length - i >= sizeof(struct four); i += sizeof(struct four))
    if (((const struct four *)(a + i))->characters != ((const struct four *)(b + i))->characters)
      return false;
  for (; i < length; i++)
    if (a[i] != b[i]) return false;
  return true;
}

int64_t crebind_names_find_whole(const struct crebind_names *names,
                                 const struct crebind_dynamic *dynamic,
                                 const ElfW(Sym) * symbol) {
  const char *string = dynamic->strings + symbol->st_name;
  size_t room = dynamic->strings_size - symbol->st_name;
  uint32_t hash = 5381;
  size_t length = 0;
  for (; length < room && string[length] != 0; length++)
    hash = hash * 33 + (unsigned char)string[length];
  for (uint32_t at = hash & names->table_mask; names->table[at] != 0;
       at = (at + 1) & names->table_mask) {
    const struct crebind_name *name = &names->items[names->table[at] - 1];
    if (name->gnu_hash == hash && name->length == length && length < room
        && is_same(name->string, string, length))
      return names->table[at] - 1;
  }
  return -1;
}
#endif
