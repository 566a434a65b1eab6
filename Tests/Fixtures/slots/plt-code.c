/// Code of PLT entries as linkers and glibc write it, and code that is nearly that: what an
/// unresolved slot leads to, and where calls jump that bypass a slot. For x86-64.

#define _GNU_SOURCE
#include "planning/slot-word.h"
#include "steps.h"

static _Alignas(4096) unsigned char memory[4096];
static ElfW(Phdr) segment = {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_memsz = sizeof memory};
static struct crebind_image image;

enum { AT = 64, INDEX = 0x01020304 };

static void put(size_t at, const char *code, size_t size) {
  memset(memory, 0xcc, sizeof memory);
  CHECK(at + size <= sizeof memory);
  memcpy(memory + at, code, size);
}
#define PUT(at, code) put(at, code, sizeof code - 1)
#define ENDBR "\xf3\x0f\x1e\xfa"

static bool is_unresolved(size_t at) {
  const struct crebind_slot slot = {.kind = CREBIND_JUMP_SLOT, .index = INDEX};
  return crebind_is_unresolved(&image, &slot, (uintptr_t)memory + at);
}

static uintptr_t bypass(size_t at) {
  const struct crebind_slot slot = {.kind = CREBIND_JUMP_SLOT, .addend = (intptr_t)at};
  return crebind_bypass_of(&image, &slot);
}

static void check_stubs(void) {
  PUT(AT, "\x68\4\3\2\1");
  CHECK(is_unresolved(AT));
  PUT(AT, ENDBR "\x68\4\3\2\1");
  CHECK(is_unresolved(AT));
  PUT(AT, ENDBR "\x41\x53\xff\x35");
  CHECK(is_unresolved(AT));
  // Another index, and no push.
  PUT(AT, "\x68\5\3\2\1");
  CHECK(!is_unresolved(AT));
  PUT(AT, "\x69\4\3\2\1");
  CHECK(!is_unresolved(AT));
  // Each byte counts.
  for (size_t i = 0; i < 4; i++) {
    PUT(AT, ENDBR "\x68\4\3\2\1");
    memory[AT + i]++;
    CHECK(!is_unresolved(AT));
    PUT(AT, "\x41\x53\xff\x35");
    CHECK(is_unresolved(AT));
    memory[AT + i]++;
    CHECK(!is_unresolved(AT));
  }
  // The end of the segment, where `push; jmp` still has room, code that is none, and another kind of slot.
  PUT(sizeof memory - 9, "\x68\4\3\2\1");
  CHECK(!is_unresolved(sizeof memory - 9));
  PUT(sizeof memory - 10, "\x68\4\3\2\1");
  CHECK(is_unresolved(sizeof memory - 10));
  CHECK(!is_unresolved(sizeof memory));
  segment.p_flags = PF_R;
  CHECK(!is_unresolved(sizeof memory - 10));
  segment.p_flags = PF_R | PF_X;
  const struct crebind_slot data = {.kind = CREBIND_GLOB_DAT, .index = INDEX};
  CHECK(!crebind_is_unresolved(&image, &data, (uintptr_t)memory + sizeof memory - 10));
}

static void check_jumps(void) {
  uintptr_t end = (uintptr_t)memory + AT + 5;
  PUT(AT, "\xe9\x10\0\0\0");
  CHECK(bypass(AT) == end + 16);
  PUT(AT, "\xe9\xf0\xff\xff\xff");
  CHECK(bypass(AT) == end - 16);
  PUT(AT, ENDBR "\xe9\x10\0\0\0");
  CHECK(bypass(AT) == end + 20);
  PUT(AT, ENDBR "\xd5\0\xa1\x88\x77\x66\x55\x44\x33\x22\x11");
  CHECK(bypass(AT) == 0x1122334455667788);
  for (size_t i = 0; i < 4; i++) {
    PUT(AT, ENDBR "\xe9\x10\0\0\0");
    memory[AT + i]++;
    CHECK(bypass(AT) == 0);
    PUT(AT, "\xd5\0\xa1\x88\x77\x66\x55\x44\x33\x22\x11");
    CHECK(bypass(AT) == 0x1122334455667788);
    memory[AT + i]++;
    CHECK((bypass(AT) == 0) == (i < 3));
  }
  PUT(sizeof memory - 14, "\xe9\x10\0\0\0");
  CHECK(bypass(sizeof memory - 14) == 0 && bypass(sizeof memory) == 0 && bypass(0) == 0);
  PUT(sizeof memory - 15, "\xe9\x10\0\0\0");
  CHECK(bypass(sizeof memory - 15) != 0);
  segment.p_flags = PF_R;
  CHECK(bypass(sizeof memory - 15) == 0);
  segment.p_flags = PF_R | PF_X;
  // An addend that is added marks nothing, and no more does that of data.
  struct crebind_slot slot = {
      .kind = CREBIND_JUMP_SLOT, .addend = sizeof memory - 15, .added = sizeof memory - 15};
  CHECK(crebind_bypass_of(&image, &slot) == 0);
  slot = (struct crebind_slot){.kind = CREBIND_ABSOLUTE, .addend = sizeof memory - 15};
  CHECK(crebind_bypass_of(&image, &slot) == 0);
}

int main(void) {
  struct dl_phdr_info info = {
      .dlpi_addr = (ElfW(Addr))memory, .dlpi_phdr = &segment, .dlpi_phnum = 1};
  crebind_image_describe(&image, &info);
  check_stubs();
  check_jumps();
  puts("recognised");
}
