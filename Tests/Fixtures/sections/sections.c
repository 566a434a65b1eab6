/// Prints the sections of all images as the core sees them, with link-time addresses.
/// It has one of its own, which it knows the place of in a static executable too.

#include "steps.h"

__attribute__((section("own_section"), used)) static long own[3] = {1, 2, 3};
static __thread int counters[5];

static void print(const crebind_section *section, void *slide) {
  uintptr_t address = section->address == 0 ? 0 : section->address - *(uintptr_t *)slide;
  printf("%s %zx %zx %llx %llu %d\n", section->name, (size_t)address, section->size,
         (unsigned long long)section->entry_size, (unsigned long long)section->alignment,
         (section->flags & SHF_ALLOC) != 0);
}

static void check_own(const crebind_section *section, void *context) {
  (void)context;
  CHECK(section->address == (uintptr_t)own && section->size == sizeof own);
  CHECK(section->source == CREBIND_SECTION_FROM_FILE);
}

static void print_image(const crebind_image_contents *image, void *own_header) {
  if (image->is_vdso) return;
  uintptr_t slide = (uintptr_t)image->info.slide;
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  CHECK(length > 0);
  program[length] = 0;
  printf("image %s\n", image->is_main ? program : image->info.path);
  crebind_error error;
  crebind_status status = crebind_sections(image->info.header, print, &slide, &error);
  if (status != CREBIND_OK) printf("%s\n", crebind_status_description(status));
  if (image->is_main) *(const void **)own_header = image->info.header;
}

int main(void) {
  const void *header = NULL;
  CHECK(counters[0] == 0);
  CHECK(crebind_images(print_image, &header, NULL) == CREBIND_OK);
  CHECK(crebind_section_data(header, "own_section", check_own, NULL, NULL) == CREBIND_OK);
  puts("all");
}
