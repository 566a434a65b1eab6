/// The headers of a loaded library are edited, a word at a time. The core tells exactly what is
/// wrong with them, or is not led astray.
///
/// Usage: broken-details LIBRARY

#include "broken.h"

static const crebind_options *only_library(void) {
  static crebind_options options;
  options = (crebind_options){
      .scope = CREBIND_SCOPE_IMAGES, .images = &header, .image_count = 1};
  return &options;
}

static void expect_broken(int64_t tag) {
  crebind_handle *handle = NULL;
  crebind_error error;
  CHECK(crebind_apply(rebindings, COUNT, only_library(), &handle, NULL, &error)
        == CREBIND_BROKEN_IMAGE);
  if (error.tag != tag) fprintf(stderr, "tag %#lx, not %#lx\n", (long)error.tag, (long)tag);
  CHECK(error.tag == tag && strcmp(error.image, path) == 0 && original == NULL);
}

static ElfW(Addr) value_of(ElfW(Sxword) tag) {
  const ElfW(Dyn) *entry = entry_of(tag);
  return entry != NULL ? entry->d_un.d_ptr : 0;
}

/// Each table of relocations in turn has one that leads out of the library.
static void lead_slots_astray(ElfW(Sxword) tag, ElfW(Sxword) size_tag) {
  char *start = table(tag);
  if (start == NULL) return;
  size_t stride = tag == DT_REL || (tag == DT_JMPREL && value_of(DT_PLTREL) == DT_REL)
                      ? sizeof(ElfW(Rel))
                      : sizeof(ElfW(Rela));
  size_t count = value_of(size_tag) / stride, edited = 0;
  for (size_t i = 0; i < count; i++) {
    ElfW(Rel) *relocation = (ElfW(Rel) *)(start + i * stride);
    // Those that name the symbol of a rebinding.
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)table(DT_SYMTAB);
    size_t symbol = sizeof(void *) == 8 ? (size_t)((uint64_t)relocation->r_info >> 32)
                                        : (size_t)(relocation->r_info >> 8);
    if (strcmp(table(DT_STRTAB) + symbols[symbol].st_name, "getppid") != 0) continue;
    relocation->r_offset = end - bias + 64;
    edited++;
  }
  if (edited != 0) expect_broken(tag);
  put_back();
}

static void find_image(const crebind_slot_info *slot, void *context) {
  *(const void **)context = slot->image.header;
}

static void visit_others(const crebind_diagnosis *diagnosis, void *context) {
  if (diagnosis->image.header != header && diagnosis->reason == CREBIND_REASON_HAS_SLOTS)
    ++*(int *)context;
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2 && getppid() > 0);
  open_library(argv[1]);
  lead_slots_astray(DT_JMPREL, DT_PLTRELSZ);
  lead_slots_astray(DT_RELA, DT_RELASZ);
  lead_slots_astray(DT_REL, DT_RELSZ);

  // A diagnosis goes on past it.
  ElfW(Rel) *relocation = (ElfW(Rel) *)table(DT_JMPREL);
  size_t stride = value_of(DT_PLTREL) == DT_REL ? sizeof(ElfW(Rel)) : sizeof(ElfW(Rela));
  for (size_t at = 0; at < value_of(DT_PLTRELSZ); at += stride)
    ((ElfW(Rel) *)((char *)relocation + at))->r_offset = end - bias + 64;
  int others = 0;
  CHECK(crebind_diagnose(&rebindings[0], NULL, visit_others, &others, NULL) == CREBIND_OK);
  CHECK(others == 1);
  put_back();

  // The file begins once.
  ElfW(Phdr) *segment = (ElfW(Phdr) *)((const char *)header
                                       + ((const ElfW(Ehdr) *)header)->e_phoff);
  size_t segments_left = ((const ElfW(Ehdr) *)header)->e_phnum;
  for (size_t i = 0; i < segments_left; i++)
    if (segment[i].p_type == PT_LOAD) segment[i].p_offset = 0;
  const void *seen = NULL;
  CHECK(crebind_plan(rebindings, COUNT, only_library(), find_image, &seen, NULL) == CREBIND_OK);
  CHECK(seen == header);
  put_back();

  // Tables in a segment that cannot be read.
  for (size_t i = 0; i < segments_left; i++)
    if (segment[i].p_type == PT_LOAD && segment[i].p_offset == 0) segment[i].p_flags &= ~PF_R;
  expect_broken(DT_SYMTAB);
  put_back();
  for (size_t i = 0; i < segments_left; i++)
    if (segment[i].p_type == PT_LOAD && (segment[i].p_flags & PF_W) != 0)
      segment[i].p_flags &= ~PF_R;
  expect_broken(DT_NULL);
  put_back();

  // A dynamic table that is elsewhere.
  for (size_t i = 0; i < segments_left; i++)
    if (segment[i].p_type == PT_DYNAMIC) segment[i].p_vaddr = end - bias + (1 << 20);
  expect_broken(DT_NULL);
  look();
  put_back();

  // Versions that lead in a circle: with 32 bits the offsets wrap.
  ElfW(Verneed) *need = (ElfW(Verneed) *)table(DT_VERNEED);
  ElfW(Half) *versions = (ElfW(Half) *)table(DT_VERSYM);
  if (need != NULL && versions != NULL) {
    for (size_t i = 1; i < 4; i++) versions[i] = 0x7ffe;
    ElfW(Vernaux) *first = (ElfW(Vernaux) *)((char *)need + need->vn_aux);
    CHECK((char *)first == (char *)(need + 1));
    need->vn_cnt = UINT16_MAX;
    need->vn_next = sizeof *need;
    // The second record is the first version as well; both lead back.
    ElfW(Verneed) *second = (ElfW(Verneed) *)first;
    second->vn_cnt = UINT16_MAX;
    second->vn_aux = (ElfW(Word))-4;
    second->vn_next = (ElfW(Word)) - (ElfW(Word))sizeof *need;
    for (size_t i = 0; i < dynamic_count; i++)
      if (dynamic[i].d_tag == DT_VERNEEDNUM) dynamic[i].d_un.d_val = UINT32_MAX;
    look();
    put_back();
  }
  printf("told\n");
}
