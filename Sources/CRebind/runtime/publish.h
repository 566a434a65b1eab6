/// Publishes words that other threads read because of a word that is stored afterwards. For
/// example, a slot leads a thread to a replacement, and the thread then reads the original.
///
/// The reader does not synchronise: it calls through a slot and reads the original, plainly, as
/// fishhook's users do. Where processors keep the order of loads, storing the original first is
/// enough. On the others a processor may predict where the slot leads, read the original, and only
/// then find the prediction right. So membarrier(2) is called in between. Each thread passes a full
/// barrier after the original is there and before the slot is. A thread that has read the original
/// before the barrier finds the former word in the slot.

#if defined(__linux__)
#pragma once

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The word is mostly a pointer to the reader.
typedef uintptr_t __attribute__((may_alias)) crebind_published;

/// Stores the word at once; under our lock. ThreadSanitizer does not see the store, as it would
/// take the reader for a race.
void crebind_publish(crebind_published *place, uintptr_t word);

/// Call this, under our lock, before you store a word that leads threads to published words. It
/// makes a system call only if something has been published since the last call, and only on
/// machines that do not keep the order of loads.
void crebind_publish_end(void);

#pragma GCC visibility pop
#endif
