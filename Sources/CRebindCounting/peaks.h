/// The most memory in use by all threads, for scopes of the process that are notified of no calls.

#if defined(__linux__) && !defined(CREBIND_COUNTING_PEAKS_H)
#define CREBIND_COUNTING_PEAKS_H

#include "thread-counts.h"

/// The number of these scopes and of those that are notified of calls: the scopes that listen to calls of malloc
/// and its kind.
extern CREBIND_COUNTING_HIDDEN _Atomic uint32_t crebind_counting_listening_scopes;

/// Takes a place for a scope's peak; -1 if all are taken.
CREBIND_COUNTING_HIDDEN int crebind_counting_begin_peak(void);
/// The peak since the place was taken, in bytes.
CREBIND_COUNTING_HIDDEN int64_t crebind_counting_peak(int place);
CREBIND_COUNTING_HIDDEN void crebind_counting_end_peak(int place);

/// Counts a change of the memory in use, for all places.
CREBIND_COUNTING_HIDDEN void crebind_counting_note_peak(int64_t live);

#endif
