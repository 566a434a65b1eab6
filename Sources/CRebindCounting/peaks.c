#if defined(__linux__)
#include "peaks.h"
#include "lock.h"

#define PLACES 16

_Atomic uint32_t crebind_counting_listening_scopes;

/// A bit for each place that is taken.
static _Atomic uint32_t taken;

/// The memory in use by all threads since a place was taken.
static struct {
  _Atomic int64_t live, peak;
} peaks[PLACES];

int crebind_counting_begin_peak(void) {
  crebind_counting_lock();
  int place = 0;
  while (place < PLACES && (taken & 1u << place) != 0) place++;
  if (place < PLACES) {
    peaks[place].live = 0;
    peaks[place].peak = 0;
    taken |= 1u << place;
    crebind_counting_listening_scopes++;
  }
  crebind_counting_unlock();
  return place < PLACES ? place : -1;
}

int64_t crebind_counting_peak(int place) { return peaks[place].peak; }

void crebind_counting_end_peak(int place) {
  taken &= ~(1u << place);
  crebind_counting_listening_scopes--;
}

void crebind_counting_note_peak(int64_t live) {
  uint32_t now = atomic_load_explicit(&taken, memory_order_relaxed);
  if (now == 0) return;
  for (int i = 0; i < PLACES; i++) {
    if ((now & 1u << i) == 0) continue;
    int64_t before = atomic_fetch_add_explicit(&peaks[i].live, live, memory_order_relaxed);
    crebind_counting_raise(&peaks[i].peak, before + live);
  }
}
#endif
