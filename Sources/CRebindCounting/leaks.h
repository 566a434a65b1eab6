/// The blocks that a scope's calls were given and that nobody has freed.

#ifndef CREBIND_COUNTING_LEAKS_H
#define CREBIND_COUNTING_LEAKS_H

#include "thread-counts.h"

typedef struct crebind_counting_leaks crebind_counting_leaks;

/// NULL if memory runs out.
CREBIND_COUNTING_HIDDEN crebind_counting_leaks *crebind_counting_leaks_make(void);
CREBIND_COUNTING_HIDDEN void crebind_counting_leaks_free(crebind_counting_leaks *leaks);

/// A call of the scope was given a block. Takes no lock.
///
/// \returns false if the block is there already, as it was freed where nobody saw it, or cannot be kept.
CREBIND_COUNTING_HIDDEN bool crebind_counting_leaks_add(crebind_counting_leaks *leaks,
                                                        const void *block);
/// Notes that some thread is about to free a block, or to exchange it for another one. Takes no
/// lock.
///
/// \returns Whether a call of the scope was given the block.
CREBIND_COUNTING_HIDDEN bool crebind_counting_leaks_take(crebind_counting_leaks *leaks,
                                                         const void *block);

/// Notes that a block cannot be kept, so that the number is unknown.
CREBIND_COUNTING_HIDDEN void crebind_counting_leaks_give_up(crebind_counting_leaks *leaks);

/// The number of blocks; -1 if there were too many to keep them.
CREBIND_COUNTING_HIDDEN int64_t crebind_counting_leaks_count(const crebind_counting_leaks *leaks);

#endif
