/// A relro range that someone has left writable is left as it is, and so is a single page of one.
/// The loader may still be at work on the image, and would crash on a page closed under it. We
/// would crash on one that is not open.

#include "steps.h"
#include "call-filter.h"
#include "permissions.h"

COUNTING_HOOK(pid_t)

/// Several pages of the relro range, with a slot in the first, the middle and the last.
enum { LAST = (1 << 15) - 1 };
pid_t (*const table[LAST + 1])(void) = {
    [0] = getppid, [LAST / 2] = getppid, [LAST] = getppid};

static uintptr_t relro_start, relro_end, page_size;

static int find_main_relro(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  (void)context;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_GNU_RELRO) continue;
    uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    relro_start = start & ~(page_size - 1);
    relro_end = (start + info->dlpi_phdr[i].p_memsz) & ~(page_size - 1);
  }
  return 1;
}

static void protect(uintptr_t start, uintptr_t end, int protection) {
  CHECK(start < end && mprotect((void *)start, end - start, protection) == 0);
}

static void check_hooks(void) {
  static const volatile int places[] = {0, LAST / 2, LAST};
  char *before = read_maps();
  crebind_handle *handle = REBIND("getppid", hook, &original, NULL, NULL);
  CHECK(keeps_permissions(before));
  hooked = 0;
  getppid();
  for (int i = 0; i < 3; i++) table[places[i]]();
  CHECK(hooked == 4);
  RESTORE(handle);
  CHECK(strcmp(before, read_maps()) == 0);
  table[places[0]]();
  CHECK(hooked == 4);
}

/// From now on memory has run out when it is asked whether a page of the range is writable.
static void refuse_population(void) {
  enum { POPULATE_WRITE = 23 };
  struct filter_step filter[] = {
      {LOAD, 0, 0, CALL_NUMBER},
      {EQUAL, 0, 6, SYS_madvise},
      {LOAD, 0, 0, CALL_ARGUMENT(2)},
      {EQUAL, 0, 4, POPULATE_WRITE},
      {LOAD, 0, 0, CALL_ARGUMENT(0)},
      {AT_LEAST, 0, 2, (uint32_t)relro_start},
      {AT_LEAST, 1, 0, (uint32_t)relro_end},
      {RETURN, 0, 0, FAIL | ENOMEM},
      {RETURN, 0, 0, ALLOW},
  };
  filter_calls(filter, sizeof filter / sizeof *filter);
}

static void check_open_pages(void) {
  protect(relro_start, relro_end, PROT_READ | PROT_WRITE);
  check_hooks();
  uintptr_t pages[] = {(uintptr_t)&table[0] & ~(page_size - 1), relro_end - page_size};
  for (int i = 0; i < 2; i++) {
    protect(relro_start, relro_end, PROT_READ);
    protect(pages[i], pages[i] + page_size, PROT_READ | PROT_WRITE);
    check_hooks();
  }
}

int main(void) {
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  dl_iterate_phdr(find_main_relro, NULL);
  CHECK(relro_end - relro_start > 2 * page_size);
  check_open_pages();
  refuse_population();
  check_open_pages();
  printf("left open\n");
}
