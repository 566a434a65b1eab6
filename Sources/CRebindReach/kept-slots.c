#if defined(__linux__)
#define _GNU_SOURCE

#include "CRebindReach.h"

#include <link.h>
#include <stdlib.h>

static int note_images(struct dl_phdr_info *info, size_t size, void *context) {
  crebind_reach_kept_slots *slots = context;
  (void)size;
  slots->adds = info->dlpi_adds;
  slots->subs = info->dlpi_subs;
  return 1;
}

void crebind_reach_note_images(crebind_reach_kept_slots *slots) {
  slots->count = 0;
  slots->lacks_some = false;
  dl_iterate_phdr(note_images, slots);
}

void crebind_reach_note_slot(crebind_reach_kept_slots *slots, uintptr_t address, uintptr_t word) {
  if (slots->count == slots->room) {
    size_t room = slots->room == 0 ? 64 : 2 * slots->room;
    crebind_reach_slot *list = realloc(slots->list, room * sizeof *list);
    if (list == NULL) {
      slots->lacks_some = true;
      return;
    }
    slots->list = list;
    slots->room = room;
  }
  slots->list[slots->count++] = (crebind_reach_slot){address, word};
}

/// One more than the change, as dl_iterate_phdr goes on at 0. The loader's lock keeps the images from going.
static int find_change(struct dl_phdr_info *info, size_t size, void *context) {
  const crebind_reach_kept_slots *slots = context;
  (void)size;
  if (slots->lacks_some || info->dlpi_adds != slots->adds || info->dlpi_subs != slots->subs)
    return 1 + CREBIND_REACH_IMAGES_CHANGED;
  for (size_t i = 0; i < slots->count; i++)
    if (__atomic_load_n((const uintptr_t *)slots->list[i].address, __ATOMIC_RELAXED)
        != slots->list[i].word)
      return 1 + CREBIND_REACH_WORDS_CHANGED;
  return 1 + CREBIND_REACH_UNCHANGED;
}

crebind_reach_change crebind_reach_find_change(const crebind_reach_kept_slots *slots) {
  return (crebind_reach_change)(dl_iterate_phdr(find_change, (void *)slots) - 1);
}

void crebind_reach_forget_slots(crebind_reach_kept_slots *slots) {
  free(slots->list);
  *slots = (crebind_reach_kept_slots){.list = NULL};
}
#endif
