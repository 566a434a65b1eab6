/// The target that the linker at hand gives an unresolved slot is recognised, and a resolved slot
/// is not taken for it. Linked with -z lazy.

#define _GNU_SOURCE
#include "elf/dynamic.h"
#include "elf/snapshot.h"
#include "steps.h"

static struct crebind_image *program;
static struct crebind_dynamic dynamic;

/// True if the word of the slot at `index` leads into the program itself, which
/// exports nothing: to code of the PLT.
static bool is_unresolved(size_t index, const uint8_t **code, size_t *room) {
  const struct crebind_relocations *table = &dynamic.relocations[CREBIND_JMPREL_TABLE];
  size_t stride = table->is_rela ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
  const ElfW(Rel) *relocation = (const ElfW(Rel) *)(table->data + index * stride);
  if (CREBIND_R_TYPE(relocation->r_info) != CREBIND_R_JUMP_SLOT) return false;
  uintptr_t word = *(volatile uintptr_t *)(program->bias + relocation->r_offset);
  const ElfW(Phdr) *segment = crebind_image_segment(program, word, 1);
  if (segment == NULL) {
    CHECK(!crebind_is_lazy_stub((const uint8_t *)word, 64, (uint32_t)index));
    return false;
  }
  *code = (const uint8_t *)word;
  *room = program->bias + segment->p_vaddr + segment->p_memsz - word;
  return true;
}

static size_t count_unresolved(void) {
  size_t unresolved = 0;
  for (size_t i = 0; i < dynamic.relocations[CREBIND_JMPREL_TABLE].count; i++) {
    const uint8_t *code;
    size_t room;
    if (!is_unresolved(i, &code, &room)) continue;
    CHECK(crebind_is_lazy_stub(code, room, (uint32_t)i));
    unresolved++;
  }
  return unresolved;
}

int main(void) {
  struct crebind_images images;
  int64_t tag;
  CHECK(crebind_images_read(&images) == CREBIND_OK);
  program = crebind_image_at(&images, 0);
  CHECK(crebind_dynamic_decode(program, &dynamic, &tag) == CREBIND_OK);
  size_t before = count_unresolved();
  CHECK(before > 0);
  getppid();
  CHECK(count_unresolved() == before - 1);
  printf("recognised\n");
}
