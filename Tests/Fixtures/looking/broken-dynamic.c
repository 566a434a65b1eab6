/// Each tag of a loaded library's dynamic table in turn gets values that lead out
/// of its segments: the answer names the image and the tag, and nothing has
/// changed.
///
/// Usage: broken-dynamic LIBRARY

#include "broken.h"

/// A tag, and what it is found to be broken by: itself, or its partner.
static const struct {
  ElfW(Sxword) tag, partner;
  enum { POINTER, SIZE, CONSTANT } kind;
} tags[] = {
    {DT_SYMTAB, DT_SYMTAB, POINTER},   {DT_STRTAB, DT_STRTAB, POINTER},
    {DT_STRSZ, DT_STRTAB, SIZE},       {DT_RELA, DT_RELA, POINTER},
    {DT_RELASZ, DT_RELA, SIZE},        {DT_JMPREL, DT_JMPREL, POINTER},
    {DT_PLTRELSZ, DT_JMPREL, SIZE},    {DT_GNU_HASH, DT_GNU_HASH, POINTER},
    {DT_HASH, DT_HASH, POINTER},       {DT_VERSYM, DT_VERSYM, POINTER},
    {DT_VERNEED, DT_VERNEED, POINTER}, {DT_SYMENT, DT_SYMENT, CONSTANT},
    {DT_RELAENT, DT_RELAENT, CONSTANT}, {DT_PLTREL, DT_PLTREL, CONSTANT},
};

static void expect_refusal(ElfW(Sxword) tag, ElfW(Sxword) partner, ElfW(Xword) value) {
  const crebind_options options = {
      .scope = CREBIND_SCOPE_IMAGES, .images = &header, .image_count = 1};
  for (int is_all = 0; is_all <= 1; is_all++) {
    crebind_handle *handle = NULL;
    crebind_error error;
    crebind_status status =
        crebind_apply(rebindings, COUNT, is_all ? NULL : &options, &handle, NULL, &error);
    if (status != CREBIND_BROKEN_IMAGE || strcmp(error.image, path) != 0
        || (error.tag != tag && error.tag != partner)) {
      fprintf(stderr, "tag %#lx as %#lx: status %d, tag %#lx, image %s\n", (long)tag, (long)value,
              status, (long)error.tag, error.image);
      exit(1);
    }
    CHECK(handle == NULL && original == NULL && getppid() > 0);
  }
  look();
}

int main(int argc, char *argv[]) {
  CHECK(argc == 2);
  open_library(argv[1]);
  char *before = read_maps();
  int edited = 0;
  for (size_t d = 0; d < dynamic_count; d++)
    for (size_t t = 0; t < sizeof tags / sizeof tags[0]; t++) {
      if (dynamic[d].d_tag != tags[t].tag) continue;
      const ElfW(Xword) pointers[] = {end, end + (1 << 20), end - 1, UINT64_MAX, UINT64_MAX - 7,
                                      (ElfW(Xword))1 << 63, bias - 8};
      const ElfW(Xword) sizes[] = {end - bias + 1, (ElfW(Xword))1 << 62, UINT64_MAX,
                                   UINT64_MAX - bias};
      const ElfW(Xword) constants[] = {23, 1000, UINT64_MAX};
      const ElfW(Xword) *values = tags[t].kind == POINTER ? pointers
                                  : tags[t].kind == SIZE  ? sizes
                                                          : constants;
      size_t count = tags[t].kind == POINTER ? sizeof pointers / sizeof pointers[0]
                     : tags[t].kind == SIZE  ? sizeof sizes / sizeof sizes[0]
                                             : sizeof constants / sizeof constants[0];
      ElfW(Xword) good = dynamic[d].d_un.d_val;
      for (size_t v = 0; v < count; v++) {
        // One byte is enough of a string table, but not of the others.
        if (tags[t].tag == DT_STRTAB && values[v] == end - 1) continue;
        dynamic[d].d_un.d_val = values[v];
        expect_refusal(tags[t].tag, tags[t].partner, values[v]);
      }
      dynamic[d].d_un.d_val = good;
      edited++;
      // A tag that is missing is no crash either.
      dynamic[d].d_tag = DT_DEBUG;
      look();
      dynamic[d].d_tag = tags[t].tag;
    }
  CHECK(edited >= 10);
  CHECK(strcmp(before, read_maps()) == 0);
  crebind_handle *handle = APPLY(rebindings, COUNT, NULL, NULL);
  CHECK(getppid() == -1);
  RESTORE(handle);
  printf("refused\n");
}
