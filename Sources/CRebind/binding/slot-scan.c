#if defined(__linux__)
#define _GNU_SOURCE
#include "binding/slot-scan.h"

void crebind_slot_scan_begin(struct crebind_slot_scan *scan) {
  scan->matches = CREBIND_VECTOR(uint32_t);
  scan->names = CREBIND_VECTOR(uint32_t);
}

void crebind_slot_scan_end(struct crebind_slot_scan *scan) {
  crebind_vector_free(&scan->matches);
  crebind_vector_free(&scan->names);
}

// MARK: - Matching symbols

static bool is_match(const struct crebind_slot_scan *scan, size_t symbol) {
  return symbol < scan->names.count && ((const uint32_t *)scan->names.data)[symbol] != 0;
}

static bool add_match(struct crebind_slot_scan *scan, size_t symbol, size_t name) {
  if (is_match(scan, symbol)) return true;
  if (symbol >= scan->names.count
      && crebind_vector_append(&scan->names, symbol + 1 - scan->names.count) == NULL)
    return false;
  uint32_t *match = crebind_vector_push(&scan->matches);
  if (match == NULL) return false;
  *match = (uint32_t)symbol;
  ((uint32_t *)scan->names.data)[symbol] = (uint32_t)name + 1;
  return true;
}

static bool match_index(struct crebind_slot_scan *scan, const struct crebind_dynamic *dynamic,
                        const struct crebind_names *names, size_t index) {
  const ElfW(Sym) *symbol = crebind_symbol(dynamic, index);
  if (symbol == NULL) return true;
  int64_t name = crebind_names_find(names, dynamic, symbol);
  return name < 0 || add_match(scan, index, (size_t)name);
}

static size_t symbol_of_relocation(const struct crebind_relocations *table, size_t index) {
  return table->is_rela ? CREBIND_R_SYM(((const ElfW(Rela) *)table->data)[index].r_info)
                        : CREBIND_R_SYM(((const ElfW(Rel) *)table->data)[index].r_info);
}

enum { PREFETCH_DISTANCE = 48 };

crebind_status crebind_slot_scan_match(struct crebind_slot_scan *scan,
                                       const struct crebind_dynamic *dynamic,
                                       const struct crebind_names *names) {
  for (size_t i = 0; i < scan->matches.count; i++)
    ((uint32_t *)scan->names.data)[((const uint32_t *)scan->matches.data)[i]] = 0;
  crebind_vector_truncate(&scan->matches, 0);
  if (dynamic->symbols == NULL) return CREBIND_OK;

  // A GNU hash table leaves out what is undefined: the symbols before its first. The table of an
  // executable that exports nothing is empty and starts at 1, which says nothing; then the
  // relocations name the symbols.
  size_t undefined_count = 0;
  if (dynamic->gnu_hash.symbol_offset > 1)
    undefined_count = dynamic->gnu_hash.symbol_offset;
  else if (dynamic->gnu_hash.bucket_count == 0)
    undefined_count = dynamic->sysv_hash.chain_count;

  if (undefined_count > dynamic->symbol_limit) undefined_count = dynamic->symbol_limit;
  for (size_t i = 1; i < undefined_count; i++) {
    // The names lie apart from the symbols; waiting for each is most of the work.
    if (i + PREFETCH_DISTANCE < undefined_count)
      __builtin_prefetch(dynamic->strings + dynamic->symbols[i + PREFETCH_DISTANCE].st_name);
    int64_t name = crebind_names_find(names, dynamic, &dynamic->symbols[i]);
    if (name >= 0 && !add_match(scan, i, (size_t)name)) return CREBIND_OUT_OF_MEMORY;
  }

  if (undefined_count == 0) {
    for (size_t t = 0; t < 3; t++) {
      const struct crebind_relocations *table = &dynamic->relocations[t];
      for (size_t i = table->relative_count; i < table->count; i++)
        if (!match_index(scan, dynamic, names, symbol_of_relocation(table, i)))
          return CREBIND_OUT_OF_MEMORY;
    }
  }
  if (dynamic->gnu_hash.bucket_count != 0) {
    // Symbols that the image defines itself, and may still reach through a slot.
    const struct crebind_gnu_hash gnu = dynamic->gnu_hash;
    for (size_t n = 0; n < names->count; n++) {
      const struct crebind_name *name = &names->items[n];
      if (!crebind_gnu_hash_may_have(&gnu, name->gnu_hash)) continue;
      struct crebind_symbol_walk walk;
      crebind_symbol_walk_begin(&walk, dynamic, name);
      for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;)
        if (!add_match(scan, i, n)) return CREBIND_OUT_OF_MEMORY;
    }
  }
  return CREBIND_OK;
}

bool crebind_slot_scan_asks(const struct crebind_slot_scan *scan,
                            const struct crebind_dynamic *dynamic) {
  for (size_t m = 0; m < scan->matches.count; m++) {
    uint32_t match = *(uint32_t *)crebind_vector_at(&scan->matches, m);
    if (crebind_symbol(dynamic, match)->st_shndx == SHN_UNDEF) return true;
  }
  return false;
}

// MARK: - Visiting slots

/// The kinds of slot that a relocation type may fill; RISC-V has one type for
/// two of them.
static unsigned kinds_of(uint32_t type) {
  return (type == CREBIND_R_JUMP_SLOT ? CREBIND_JUMP_SLOT : 0)
         | (type == CREBIND_R_GLOB_DAT ? CREBIND_GLOB_DAT : 0)
         | (type == CREBIND_R_ABSOLUTE ? CREBIND_ABSOLUTE : 0);
}

/// The value that the loader adds to the function's address in a slot of this kind. On some
/// machines it adds the addend only at load. There, the image says when its jump slots are bound.
static uintptr_t added(intptr_t addend, unsigned kind, const struct crebind_dynamic *dynamic) {
  bool is_added = kind == CREBIND_ABSOLUTE || CREBIND_ADDENDS == CREBIND_ADDENDS_ADDED
                  || (CREBIND_ADDENDS == CREBIND_ADDENDS_ADDED_AT_LOAD
                      && (kind == CREBIND_GLOB_DAT || dynamic->bind_now));
  return is_added ? (uintptr_t)addend : 0;
}

/// The first relocation from `at` on whose symbol was matched, or `end`. This passes over nearly
/// all relocations, so each must cost only a few instructions.
static const char *next_match(const struct crebind_slot_scan *scan, const char *at,
                              const char *end, size_t stride) {
#define SYMBOL(at) ((uint32_t)CREBIND_R_SYM(((const ElfW(Rel) *)(at))->r_info))
#define FIND(IS_MATCH, stride)                                      \
  for (; (size_t)(end - at) >= 4 * (stride); at += 4 * (stride)) {  \
    if (IS_MATCH(at)) return at;                                    \
    if (IS_MATCH(at + (stride))) return at + (stride);              \
    if (IS_MATCH(at + 2 * (stride))) return at + 2 * (stride);      \
    if (IS_MATCH(at + 3 * (stride))) return at + 3 * (stride);      \
  }
#define IS_ONLY_MATCH(at) (SYMBOL(at) == only)
#define IS_ONE_OF_MATCHES(at) ((symbol = SYMBOL(at)) < count && names[symbol] != 0)
  const uint32_t *names = (const uint32_t *)scan->names.data;
  const size_t count = scan->names.count;
  uint32_t symbol;
  // The stride of ElfW(Rela) is a constant to the compiler.
  if (stride == sizeof(ElfW(Rela)) && scan->matches.count == 1) {
    const uint32_t only = *(const uint32_t *)scan->matches.data;
    FIND(IS_ONLY_MATCH, sizeof(ElfW(Rela)))
  } else if (stride == sizeof(ElfW(Rela))) {
    FIND(IS_ONE_OF_MATCHES, sizeof(ElfW(Rela)))
  }
  while (at < end && !IS_ONE_OF_MATCHES(at)) at += stride;
  return at;
#undef IS_ONE_OF_MATCHES
#undef IS_ONLY_MATCH
#undef FIND
#undef SYMBOL
}

/// Visits those slots of a table whose symbol the scan has matched; all slots if `scan` is NULL.
static crebind_status visit_table(
    const struct crebind_slot_scan *scan, const struct crebind_image *image,
    const struct crebind_dynamic *dynamic, size_t t, unsigned kinds,
    crebind_status (*visit)(void *context, const struct crebind_slot *slot, uint32_t name),
    void *context) {
  static const int32_t tags[] = {DT_RELA, DT_REL, DT_JMPREL};
  const struct crebind_relocations *table = &dynamic->relocations[t];
  size_t stride = table->is_rela ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
  const char *end = table->data + table->count * stride;
  for (const char *at = table->data + table->relative_count * stride; at < end; at += stride) {
    if (scan != NULL && (at = next_match(scan, at, end, stride)) == end) break;
    // An ElfW(Rela) begins with an ElfW(Rel).
    const ElfW(Rel) *rel = (const ElfW(Rel) *)at;
    size_t symbol = CREBIND_R_SYM(rel->r_info);
    unsigned kind = kinds_of((uint32_t)CREBIND_R_TYPE(rel->r_info));
    if ((kind & kinds) == 0) continue;
    // A slot that may be data is treated as data.
    if ((kind & CREBIND_ABSOLUTE) != 0) kind = CREBIND_ABSOLUTE;
    intptr_t addend = table->is_rela ? (intptr_t)((const ElfW(Rela) *)at)->r_addend : 0;
    struct crebind_slot slot = {
        .address = image->bias + rel->r_offset,
        .kind = (crebind_slot_kind)kind,
        .index = (uint32_t)((size_t)(at - table->data) / stride),
        .symbol = (uint32_t)symbol,
        .tag = tags[t],
        .addend = addend,
        .added = added(addend, kind, dynamic),
        .is_rela = table->is_rela,
    };
    uint32_t name = scan != NULL ? crebind_slot_scan_name(scan, symbol) : 0;
    crebind_status status = visit(context, &slot, name);
    if (status != CREBIND_OK) return status;
  }
  return CREBIND_OK;
}

crebind_status crebind_slot_scan_visit(
    const struct crebind_slot_scan *scan, const struct crebind_image *image,
    const struct crebind_dynamic *dynamic, unsigned kinds,
    crebind_status (*visit)(void *context, const struct crebind_slot *slot, uint32_t name),
    void *context) {
  crebind_status status = CREBIND_OK;
  if (scan != NULL && scan->matches.count == 0) return status;
  for (size_t t = 0; t < 3 && status == CREBIND_OK; t++)
    status = visit_table(scan, image, dynamic, t, kinds, visit, context);
  return status;
}
#endif
