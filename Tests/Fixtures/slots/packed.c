/// Slots of relocations that are packed for Android. They are found as in the same library with
/// nothing packed, are left as they are, since no loader here has filled them, and are counted.
///
/// Usage: packed PACKED-LIBRARY PLAIN-LIBRARY

#define _GNU_SOURCE
#include "elf/packed.h"
#include "steps.h"

enum { POINTERS = 16, MOST = 64 };

COUNTING_HOOK(pid_t)

struct found {
  const char *symbol;
  crebind_slot_kind kind;
  uintptr_t address;
  intptr_t addend;
  bool has_addend, is_unfilled;
};

struct slots {
  struct found found[MOST];
  size_t count, unfilled;
};

static void add(const crebind_slot_contents *slot, void *context) {
  struct slots *slots = context;
  bool is_ours = strcmp(slot->symbol, "getppid") == 0;
  if (!is_ours && strcmp(slot->symbol, "getpgrp") != 0) return;
  CHECK(slots->count < MOST);
  slots->found[slots->count++] =
      (struct found){is_ours ? "getppid" : "getpgrp", slot->kind,       slot->address, slot->addend,
                     slot->has_addend,                slot->is_unfilled};
  slots->unfilled += slot->is_unfilled && is_ours;
  if (!slot->is_unfilled) return;
  CHECK(slot->target.address == 0 && slot->rebinder == CREBIND_REBOUND_BY_NOBODY);
  CHECK(slot->word == *(const uintptr_t *)slot->address && slot->word == 0);
}

static const void *header(void *library) {
  return crebind_image_containing(FIND(library, "call"));
}

static struct slots slots_of(void *library) {
  struct slots slots = {.count = 0};
  CHECK(crebind_image_slots(header(library), add, &slots, NULL) == CREBIND_OK);
  return slots;
}

/// The number of slots of a symbol and a kind.
static size_t count(const struct slots *slots, const struct found *like) {
  size_t count = 0;
  for (size_t i = 0; i < slots->count; i++)
    count += slots->found[i].kind == like->kind && slots->found[i].addend == like->addend
             && slots->found[i].has_addend == like->has_addend
             && strcmp(slots->found[i].symbol, like->symbol) == 0;
  return count;
}

static void compare(const struct slots *packed, const struct slots *plain, void *library) {
  CHECK(packed->count == plain->count && packed->count >= 18);
  for (size_t i = 0; i < packed->count; i++)
    CHECK(count(packed, &packed->found[i]) == count(plain, &packed->found[i]));
  CHECK(plain->unfilled == 0 && packed->unfilled >= 14 && packed->unfilled < packed->count);
  // Each pointer is one of the slots.
  const uintptr_t *pointers = FIND(library, "pointers");
  for (size_t p = 0; p < POINTERS; p++) {
    size_t slots = 0;
    for (size_t i = 0; i < packed->count; i++)
      slots += packed->found[i].address == (uintptr_t)&pointers[p];
    CHECK(slots == (p == 2 || p == 11 || p == 12 ? 0 : 1));
  }
}

static void no_finding(const crebind_finding *finding, void *library) {
  CHECK(finding->is_ours || finding->slot.image.header != header(library));
}

static void diagnose(const crebind_diagnosis *diagnosis, void *slots) {
  if (diagnosis->reason != CREBIND_REASON_UNCHANGEABLE) return;
  CHECK(strcmp(diagnosis->detail, "unfilled") == 0);
  CHECK(strstr(crebind_reason_meaning(diagnosis->reason, diagnosis->detail), "Android") != NULL);
  *(size_t *)slots += diagnosis->slots;
}

/// Rebinds in one library alone, and returns how many slots were counted as not filled.
static size_t rebind(void *library, unsigned kinds) {
  const void *images[] = {header(library)};
  const crebind_options options = {
      .scope = CREBIND_SCOPE_IMAGES, .images = images, .image_count = 1, .slot_kinds = kinds};
  const crebind_rebinding rebinding = {
      .name = "getppid", .replacement = (void *)hook, .original = (void **)&original};
  uintptr_t before[POINTERS];
  const volatile uintptr_t *pointers = FIND(library, "pointers");
  for (size_t i = 0; i < POINTERS; i++) before[i] = pointers[i];
  crebind_report report;
  crebind_handle *handle = APPLY(&rebinding, 1, &options, &report);
  size_t unchangeable = 0;
  CHECK(crebind_diagnose(&rebinding, &options, diagnose, &unchangeable, NULL) == CREBIND_OK);
  CHECK(unchangeable == (report.changed == 0 ? report.unfilled : 0));
  size_t changed = 0;
  for (size_t i = 0; i < POINTERS; i++) changed += pointers[i] != before[i];
  CHECK(changed == 0 || report.unfilled == 0);
  hooked = 0;
  CHECK(CALL(library, "call") == getppid());
  CHECK(hooked == ((kinds & CREBIND_JUMP_SLOT) != 0));
  CHECK(crebind_audit(no_finding, library, NULL) == CREBIND_OK);
  RESTORE(handle);
  for (size_t i = 0; i < POINTERS; i++) CHECK(pointers[i] == before[i]);
  return report.unfilled;
}

/// Streams that contradict themselves, or state more than fits.
static void check_streams(void) {
  static const struct {
    uint8_t bytes[24];
    size_t size, room;
    bool is_rela, is_sound;
  } streams[] = {
      {"APS2\x02\x08\x02\x03\x08\x01", 10, 2, true, true},
      {"APS2\x02\x08\x02\x03\x08\x01", 10, 1, true, false},          // no room
      {"APS2\x02\x08\x02\x03\x08", 9, 2, true, false},               // cut
      {"APS3\x02\x08\x02\x03\x08\x01", 10, 2, true, false},          // another magic
      {"AP", 2, 2, true, false},
      {"APS2\x02\x08\x03\x03\x08\x01", 10, 9, true, false},          // a group of more than all
      {"APS2\x7f\x08\x02\x03\x08\x01", 10, 9, true, false},          // less than none
      {"APS2\x02\x08\x02\x13\x08\x01", 10, 9, true, false},          // unknown flags
      {"APS2\x02\x08\x02\x0f\x08\x01\x04", 11, 2, true, true},
      {"APS2\x02\x08\x02\x0f\x08\x01\x04", 11, 2, false, false},     // addends in a REL table
      {"APS2\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 15, 9, true, false},
      {"APS2\x01\x08\x00\x00\x00\x00\x00\x00\x01\x03\x08\x01", 16, 1, true, true},  // empty groups
      {"APS2\0\0", 6, 16, true, true},
      {"APS2\x11\0", 6, 16, true, false},
      {"APS2\1", 5, 16, true, false},
      // One group of one entry, by its flags: the offset, the kind and the addend follow.
      {"APS2\1\0\1\0\x08\x05", 10, 16, true, true},
      {"APS2\1\0\1\0\x08\x05", 10, 16, false, true},
      {"APS2\1\0\1\x08\x08\x05\x01", 11, 16, true, true},
      {"APS2\1\0\1\x08\x08\x05\x01", 11, 16, false, false},
      {"APS2\1\0\1\0\x08", 9, 16, true, false},
      {"APS2\1\0\1", 7, 16, true, false},
      {"APS2\1\0\2\0", 8, 16, true, false},
      {"APS2\1\0\1\x10\x08\x05", 10, 16, true, false},
      // Numbers of 64 bits, and of more.
      {"APS2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\1\0\x08\x05", 19, 16, true, true},
      {"APS2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\1\0\x08\x05", 20, 16, true, false},
  };
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
    struct crebind_packed packed = {streams[i].bytes, streams[i].size, streams[i].is_rela};
    CHECK(crebind_packed_is_sound(&packed, streams[i].room) == streams[i].is_sound);
  }
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  check_streams();
  void *packed = OPEN(argv[1], RTLD_NOW), *plain = OPEN(argv[2], RTLD_NOW);
  struct slots packed_slots = slots_of(packed), plain_slots = slots_of(plain);
  compare(&packed_slots, &plain_slots, packed);

  CHECK(rebind(plain, CREBIND_ALL_SLOT_KINDS) == 0);
  CHECK(rebind(packed, CREBIND_ALL_SLOT_KINDS) == packed_slots.unfilled);
  CHECK(rebind(packed, CREBIND_JUMP_SLOT) == 0);
  CHECK(rebind(packed, CREBIND_GLOB_DAT | CREBIND_ABSOLUTE) == packed_slots.unfilled);
  printf("counted\n");
}
