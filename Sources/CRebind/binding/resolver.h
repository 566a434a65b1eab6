/// IFUNC resolvers of ours, each returning the address it was made for.
///
/// A symbol of type STT_GNU_IFUNC names a resolver, and its type and value would
/// have to change together to name a function. Pointing its value at a resolver
/// of ours takes one aligned store.

#if defined(__linux__)
#pragma once

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Takes a resolver that returns `target`; 0 if all are in use.
uint16_t crebind_resolver_make(uintptr_t target);
/// Gives one back; does nothing for 0.
void crebind_resolver_free(uint16_t resolver);
/// The resolver's own address.
uintptr_t crebind_resolver_address(uint16_t resolver);

#pragma GCC visibility pop
#endif
