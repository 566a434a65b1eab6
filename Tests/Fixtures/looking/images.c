/// The contents of the loaded images are the same as dl_iterate_phdr and the program itself give
/// them: headers, symbols, and slots with their targets. Looking changes nothing.
///
/// Usage: images [exports]: was it linked with -rdynamic? A GNU hash table of a
/// program that exports nothing counts no symbols.

#include "steps.h"

static pid_t (*original)(void);
static pid_t hook(void) { return original() + 1; }

/// The program's own function, which it may export.
pid_t own_parent(void);
pid_t own_parent(void) { return getppid(); }

struct listed {
  struct dl_phdr_info info;
  int count, wanted;
};

static int list(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct listed *listed = context;
  listed->info = *info;
  return listed->count++ == listed->wanted;
}

struct seen {
  int images;
  const void *main;
};

static void visit_image(const crebind_image_contents *image, void *context) {
  struct seen *seen = context;
  struct listed listed = {.wanted = seen->images};
  CHECK(dl_iterate_phdr(list, &listed) == 1);
  CHECK((uintptr_t)image->info.slide == listed.info.dlpi_addr);
  CHECK(image->is_main == (seen->images == 0) && image->broken_tag == INT64_MIN);
  CHECK(image->segment_count == listed.info.dlpi_phnum);
  for (size_t i = 0; i < image->segment_count; i++) {
    const ElfW(Phdr) *header = &listed.info.dlpi_phdr[i];
    CHECK(image->segments[i].type == header->p_type && image->segments[i].flags == header->p_flags);
    CHECK(image->segments[i].address == header->p_vaddr
          && image->segments[i].memory_size == header->p_memsz);
    if (header->p_type == PT_DYNAMIC)
      CHECK(image->dynamic == listed.info.dlpi_addr + header->p_vaddr);
  }
  const ElfW(Ehdr) *header = image->info.header;
  CHECK(image->type == header->e_type && image->machine == header->e_machine);
  const char *strings = NULL;
  for (size_t i = 0; i < image->dynamic_entry_count; i++) {
    const crebind_dynamic_entry *entry = &image->dynamic_entries[i];
    CHECK(entry->tag == ((const ElfW(Dyn) *)image->dynamic)[i].d_tag);
    if (entry->tag == DT_STRTAB)
      strings = (const char *)(listed.info.dlpi_addr + (uintptr_t)entry->value);
  }
  for (size_t i = 0; i < image->dynamic_entry_count; i++) {
    const crebind_dynamic_entry *entry = &image->dynamic_entries[i];
    CHECK((entry->string != NULL)
          == (entry->tag == DT_NEEDED || entry->tag == DT_SONAME || entry->tag == DT_RPATH
              || entry->tag == DT_RUNPATH));
    if (entry->string != NULL) CHECK(strcmp(entry->string, strings + entry->value) == 0);
  }
  if (seen->images++ == 0) seen->main = image->info.header;
}

static void visit_symbol(const crebind_symbol_info *symbol, void *context) {
  CHECK(symbol->index != 0);
  if (strcmp(symbol->name, "own_parent") == 0) {
    CHECK(symbol->section != SHN_UNDEF && symbol->type == STT_FUNC && symbol->size != 0);
    *(int *)context += 1;
  }
  if (strcmp(symbol->name, "getppid") == 0) {
    CHECK(symbol->section == SHN_UNDEF && !symbol->is_default_version);
    *(int *)context += 10;
  }
}

struct expectation {
  int slots;
  crebind_rebinder rebinder;
};

static void visit_slot(const crebind_slot_contents *slot, void *context) {
  struct expectation *expectation = context;
  if (strcmp(slot->symbol, "getppid") != 0) return;
  expectation->slots++;
  CHECK(slot->word == *(const uintptr_t *)slot->address);
  CHECK(slot->rebinder == expectation->rebinder);
  if (slot->is_unresolved) {
    CHECK(slot->target.image.header == NULL && slot->target.address == 0);
    return;
  }
  CHECK(slot->target.image.header != NULL);
  if (slot->rebinder == CREBIND_REBOUND_BY_NOBODY)
    CHECK(strcmp(slot->target.symbol, "getppid") == 0 && slot->target.offset == 0);
}

static void visit_target(const crebind_target *target, void *context) {
  CHECK(target->offset == 0 && strcmp(target->symbol, context) == 0);
}

/// Not looked for.
static void visit_without_target(const crebind_slot_contents *slot, void *context) {
  struct expectation *expectation = context;
  if (strcmp(slot->symbol, "getppid") != 0) return;
  expectation->slots++;
  CHECK(slot->word == *(const uintptr_t *)slot->address);
  CHECK(slot->rebinder == CREBIND_REBINDER_UNKNOWN);
  CHECK(slot->target.image.header == NULL && slot->target.address == 0);
}

static int slots(const void *header, crebind_rebinder rebinder) {
  struct expectation expectation = {0, rebinder}, others = {0, rebinder};
  CHECK(crebind_image_slots(header, true, visit_slot, &expectation, NULL) == CREBIND_OK);
  CHECK(crebind_image_slots(header, false, visit_without_target, &others, NULL) == CREBIND_OK);
  CHECK(others.slots == expectation.slots);
  return expectation.slots;
}

int main(int argc, char *argv[]) {
  int exports = argc > 1 && strcmp(argv[1], "exports") == 0;
  struct seen seen = {0};
  CHECK(crebind_images(visit_image, &seen, NULL) == CREBIND_OK && seen.images >= 2);
  int symbols = 0;
  CHECK(crebind_symbols(seen.main, NULL, visit_symbol, &symbols, NULL) == CREBIND_OK);
  CHECK(symbols == 10 + exports);
  CHECK(crebind_symbols(seen.main, "own_parent", visit_symbol, &symbols, NULL) == CREBIND_OK);
  CHECK(symbols == 10 + 2 * exports);
  crebind_error error;
  CHECK(crebind_symbols(&seen, NULL, visit_symbol, NULL, &error) == CREBIND_NO_SUCH_IMAGE);
  CHECK(error.status == CREBIND_NO_SUCH_IMAGE && error.image[0] == 0);

  pid_t parent = own_parent();
  int count = slots(seen.main, CREBIND_REBOUND_BY_NOBODY);
  CHECK(count > 0);
  crebind_handle *handle = REBIND("getppid", hook, &original, NULL, NULL);
  CHECK(own_parent() == parent + 1);
  CHECK(slots(seen.main, CREBIND_REBOUND_BY_US) == count);
  // Our redirected definition is looked through.
  CHECK(crebind_describe_address((uintptr_t)original, visit_target, "getppid", NULL) == CREBIND_OK);
  RESTORE(handle);
  CHECK(slots(seen.main, CREBIND_REBOUND_BY_NOBODY) == count && own_parent() == parent);
  if (exports)
    CHECK(crebind_describe_address((uintptr_t)own_parent, visit_target, "own_parent", NULL)
          == CREBIND_OK);
  puts("looked");
  return 0;
}
