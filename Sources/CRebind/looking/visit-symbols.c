/// The dynamic symbols of one image.

#if defined(__linux__)
#define _GNU_SOURCE
#include "runtime/status.h"
#include "transactions/attempt.h"
#include "world/gather.h"
#include "world/look.h"

struct gathered_symbol {
  size_t name, version;
  crebind_symbol_info info;
};

struct symbols {
  const void *header;
  const char *wanted;  // NULL: all
  struct crebind_vector items;  // struct gathered_symbol
  struct crebind_strings strings;
};

/// How many entries the table has: as many as the hash table counts, and, since
/// a GNU one leaves out what is undefined, as many as the relocations name.
static size_t count_symbols(const struct crebind_dynamic *dynamic) {
  size_t count = crebind_symbol_count(dynamic);
  for (size_t t = 0; t < 3; t++) {
    const struct crebind_relocations *table = &dynamic->relocations[t];
    for (size_t i = table->relative_count; i < table->count; i++) {
      size_t stride = table->is_rela ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
      // An ElfW(Rela) begins with an ElfW(Rel).
      const ElfW(Rel) *relocation = (const ElfW(Rel) *)(table->data + i * stride);
      size_t symbol = CREBIND_R_SYM(relocation->r_info);
      if (symbol >= count) count = symbol + 1;
    }
  }
  return count < dynamic->symbol_limit ? count : dynamic->symbol_limit;
}

static bool gather_symbol(struct symbols *symbols, const struct crebind_world *world,
                          size_t image_index, size_t index) {
  const struct crebind_image *image = crebind_world_image(world, image_index);
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(world, image_index);
  const ElfW(Sym) *symbol = &dynamic->symbols[index];
  struct crebind_version version = crebind_symbol_version(image, dynamic, index);
  struct gathered_symbol *gathered = crebind_vector_append(&symbols->items, 1);
  if (gathered == NULL) return false;
  gathered->name = crebind_strings_add(&symbols->strings,
                                       crebind_dynamic_string(dynamic, symbol->st_name));
  gathered->version = crebind_strings_add(&symbols->strings, version.name);
  gathered->info = (crebind_symbol_info){
      .index = index,
      .name = "",
      .is_default_version =
          version.name != NULL && !version.is_hidden && symbol->st_shndx != SHN_UNDEF,
      .value = crebind_base_word(crebind_world_known(world, image_index),
                                 (const uintptr_t *)&symbol->st_value),
      .size = symbol->st_size,
      .type = symbol->st_info & 0xf,
      .binding = symbol->st_info >> 4,
      .visibility = symbol->st_other & 3,
      .section = symbol->st_shndx,
  };
  return true;
}

static crebind_status gather(struct crebind_look *look, void *context) {
  struct symbols *symbols = context;
  crebind_vector_truncate(&symbols->items, 0);
  size_t image;
  crebind_status status = crebind_look_find(look, symbols->header, &image);
  if (status != CREBIND_OK) return status;
  const struct crebind_dynamic *dynamic = crebind_world_dynamic(&look->world, image);
  if (symbols->wanted == NULL) {
    size_t count = count_symbols(dynamic);
    for (size_t i = 1; i < count; i++)
      if (!gather_symbol(symbols, &look->world, image, i)) return CREBIND_OUT_OF_MEMORY;
    return symbols->strings.lacks_memory ? CREBIND_OUT_OF_MEMORY : CREBIND_OK;
  }
  struct crebind_symbol_walk walk;
  const struct crebind_name wanted = crebind_name_of(symbols->wanted);
  crebind_symbol_walk_begin(&walk, dynamic, &wanted);
  for (size_t i; (i = crebind_symbol_walk_next(&walk)) != 0;)
    if (!gather_symbol(symbols, &look->world, image, i)) return CREBIND_OUT_OF_MEMORY;
  return symbols->strings.lacks_memory ? CREBIND_OUT_OF_MEMORY : CREBIND_OK;
}

crebind_status crebind_symbols(const void *header, const char *name,
                               crebind_symbol_visitor *visit, void *context,
                               crebind_error *error) {
  if (visit == NULL) return crebind_fail(error, CREBIND_INVALID_ARGUMENT, -1);
  struct symbols symbols = {header, name, CREBIND_VECTOR(struct gathered_symbol),
                            {.bytes = CREBIND_VECTOR(char)}};
  crebind_status status = crebind_look(gather, &symbols, error);
  for (size_t i = 0; i < symbols.items.count && status == CREBIND_OK; i++) {
    struct gathered_symbol *symbol = crebind_vector_at(&symbols.items, i);
    symbol->info.name = crebind_strings_at(&symbols.strings, symbol->name);
    if (symbol->version != 0)
      symbol->info.version = crebind_strings_at(&symbols.strings, symbol->version);
    visit(&symbol->info, context);
  }
  crebind_vector_free(&symbols.items);
  crebind_vector_free(&symbols.strings.bytes);
  return status;
}
#endif
