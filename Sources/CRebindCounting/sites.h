/// The ways by which a scope's calls come.

#ifndef CREBIND_COUNTING_SITES_H
#define CREBIND_COUNTING_SITES_H

#include "thread-counts.h"

typedef struct crebind_counting_sites crebind_counting_sites;

/// \param limit The most sites.
/// \returns NULL if memory runs out.
CREBIND_COUNTING_HIDDEN crebind_counting_sites *crebind_counting_sites_make(size_t limit);
CREBIND_COUNTING_HIDDEN void crebind_counting_sites_free(crebind_counting_sites *sites);

/// Counts a call of this thread for its site, or as dropped.
CREBIND_COUNTING_HIDDEN void crebind_counting_sites_note(crebind_counting_sites *sites,
                                                         const crebind_counting_event *event);

/// The unwinder's first call prepares constants, under a lock. Call this before a counted call needs the
/// unwinder.
CREBIND_COUNTING_HIDDEN void crebind_counting_prepare_frames(void);

/// The first frame of this thread, from a caller on, that is in other code; 0 for none.
///
/// \param is_inside Whether an address is in the code that is passed over.
CREBIND_COUNTING_HIDDEN uintptr_t crebind_counting_frame_outside(
    uintptr_t caller, bool (*is_inside)(const void *context, uintptr_t address), const void *context);

/// See `crebind_counting_next_site`.
CREBIND_COUNTING_HIDDEN bool crebind_counting_sites_next(const crebind_counting_sites *sites,
                                                         size_t *position,
                                                         crebind_counting_site *site);

/// See `crebind_counting_is_certain`.
CREBIND_COUNTING_HIDDEN bool crebind_counting_sites_are_certain(const crebind_counting_sites *sites,
                                                                uintptr_t address);

CREBIND_COUNTING_HIDDEN uint64_t
crebind_counting_sites_dropped(const crebind_counting_sites *sites);

#endif
