/// Relocations that are packed for Android, which no loader of glibc or musl applies: an image that asks
/// for a name, and has such, is counted and named. Its other slots are rebound.
///
/// Usage: packed PACKED-LIBRARY PLAIN-LIBRARY

#define _GNU_SOURCE
#include "steps.h"

enum { POINTERS = 16 };

COUNTING_HOOK(pid_t)

static const void *header(void *library) {
  return crebind_image_containing(FIND(library, "call"));
}

static void count_slot(const crebind_slot_contents *slot, void *count) {
  *(size_t *)count += strcmp(slot->symbol, "getppid") == 0;
}

static void no_finding(const crebind_finding *finding, void *library) {
  CHECK(finding->is_ours || finding->slot.image.header != header(library));
}

static void diagnose(const crebind_diagnosis *diagnosis, void *image) {
  if (diagnosis->reason != CREBIND_REASON_UNCHANGEABLE) return;
  CHECK(strcmp(diagnosis->detail, "packed") == 0 && diagnosis->slots == 0);
  CHECK(strstr(crebind_reason_meaning(diagnosis->reason, diagnosis->detail), "Android") != NULL);
  *(const void **)image = diagnosis->image.header;
}

static void explain(const char *text, void *expected) { CHECK(strstr(text, expected) != NULL); }

/// Rebinds in one library alone, and compares what is said of packed relocations.
static void rebind(void *library, const char *name, unsigned kinds, size_t packed) {
  const void *images[] = {header(library)};
  const crebind_options options = {
      .scope = CREBIND_SCOPE_IMAGES, .images = images, .image_count = 1, .slot_kinds = kinds};
  const crebind_rebinding rebinding = {
      .name = name, .replacement = (void *)hook, .original = (void **)&original};
  const volatile uintptr_t *pointers = FIND(library, "pointers");
  uintptr_t before[POINTERS];
  for (size_t i = 0; i < POINTERS; i++) before[i] = pointers[i];
  crebind_report report;
  crebind_handle *handle = APPLY(&rebinding, 1, &options, &report);
  CHECK(report.packed == packed);
  const void *named = NULL;
  CHECK(crebind_diagnose(&rebinding, &options, diagnose, &named, NULL) == CREBIND_OK);
  CHECK(named == (packed != 0 ? images[0] : NULL));
  // Its ordinary slots come first.
  bool has_others = strcmp(name, "getppid") == 0;
  if (packed != 0 && report.changed == 0)
    CHECK(crebind_explain(&rebinding, &options, explain,
                          has_others ? "kinds" : "packed for Android", NULL)
          == CREBIND_OK);
  // The words are as the file has them, and are left so.
  for (size_t i = 0; i < POINTERS && packed != 0; i++)
    CHECK(pointers[i] == before[i] && pointers[i] == 0);
  hooked = 0;
  CHECK(CALL(library, "call") == getppid());
  CHECK(hooked == (strcmp(name, "getppid") == 0 && (kinds & CREBIND_JUMP_SLOT) != 0));
  CHECK(crebind_audit(no_finding, library, NULL) == CREBIND_OK);
  RESTORE(handle);
}

int main(int argc, char *argv[]) {
  CHECK(argc == 3);
  void *packed = OPEN(argv[1], RTLD_NOW), *plain = OPEN(argv[2], RTLD_NOW);
  size_t slots = 0, plain_slots = 0;
  CHECK(crebind_image_slots(header(packed), true, count_slot, &slots, NULL) == CREBIND_OK);
  CHECK(crebind_image_slots(header(plain), true, count_slot, &plain_slots, NULL) == CREBIND_OK);
  // A call's slot is never packed.
  CHECK(slots == 1 && plain_slots > 10);

  rebind(plain, "getppid", CREBIND_ALL_SLOT_KINDS, 0);
  rebind(packed, "getppid", CREBIND_ALL_SLOT_KINDS, 1);
  rebind(packed, "getppid", CREBIND_GLOB_DAT | CREBIND_ABSOLUTE, 1);
  rebind(packed, "getpgrp", CREBIND_ALL_SLOT_KINDS, 1);
  rebind(packed, "getuid", CREBIND_ALL_SLOT_KINDS, 0);
  printf("named\n");
}
