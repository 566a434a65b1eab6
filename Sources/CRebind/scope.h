/// Which definition the loader would bind a reference to.
///
/// The loader's own lookup is not to be had: dlsym knows the scope of its
/// caller only, takes the loader's lock, and may be rebound. So the scopes are
/// rebuilt from what the images say of themselves. A reference is looked up in
/// (1) its own image first if that is linked with -Bsymbolic; (2) the global
/// scope: the program, what is preloaded, and what they need, in load order;
/// (3) the local scopes: of each image that leads to the reference's own by
/// DT_NEEDED, that image and all that it needs, breadth first; (4) the images
/// that were opened with RTLD_GLOBAL. These the loader has to be asked for, which
/// cannot be done under its lock: the question is put, and the call tries again.

#ifndef CREBIND_SCOPE_H
#define CREBIND_SCOPE_H

#include "symbol.h"

#pragma GCC visibility push(hidden)

enum crebind_visibility { CREBIND_UNKNOWN = 0, CREBIND_LOCAL, CREBIND_GLOBAL };

/// Was this image, which defines this name, opened with RTLD_GLOBAL?
struct crebind_scope_question {
  size_t image;
  const char *name;
};

struct crebind_scopes {
  const struct crebind_images *images;
  const struct crebind_dynamic *dynamics;
  /// For image i, its dependencies are `edges[first_edge[i] ..< first_edge[i + 1]]`.
  struct crebind_vector first_edge, edges;  // uint32_t
  /// Is the image in the global scope?
  struct crebind_vector is_global;  // bool
  struct crebind_vector queue, visited;  // uint32_t and bool, for searches
  /// What is known of each image outside of the global scope.
  struct crebind_vector visibility;  // uint8_t, an enum crebind_visibility
  /// Lookups that came upon an image of unknown visibility passed it over.
  struct crebind_vector questions;  // struct crebind_scope_question
  bool is_ready;
};

/// The name, and the version that the reference asks for (NULL for none).
struct crebind_reference {
  const char *name;
  size_t length;
  uint32_t gnu_hash;
  const char *version;
  /// Without a version: take the default one, as dlsym does, rather than the
  /// first, as the loader does for an image that was linked without versions.
  bool wants_default;
};

/// A definition, or `image` SIZE_MAX for none.
struct crebind_definition {
  size_t image, symbol;
};

/// The arrays must outlive the scopes, and the loader's lock be held meanwhile.
void crebind_scopes_begin(struct crebind_scopes *scopes, const struct crebind_images *images,
                          const struct crebind_dynamic *dynamics);
void crebind_scopes_end(struct crebind_scopes *scopes);

/// What a reference in the image with index `from` is bound to; a non-PIE
/// executable's canonical PLT entry is looked through.
crebind_status crebind_scopes_lookup(struct crebind_scopes *scopes, size_t from,
                                     const struct crebind_reference *reference,
                                     struct crebind_definition *definition);

/// True if a definition that a lookup has found is in the global scope.
static inline bool crebind_scopes_is_global(const struct crebind_scopes *scopes,
                                            struct crebind_definition definition) {
  return definition.image != SIZE_MAX
         && *(const bool *)crebind_vector_at(&scopes->is_global, definition.image);
}

/// False for the program, what is preloaded, and what they need.
crebind_status crebind_scopes_may_be_unloaded(struct crebind_scopes *scopes, size_t image,
                                              bool *may_be);

/// The run-time address that a defining symbol with `value` in place of its
/// `st_value` stands for; an IFUNC's resolver is called.
uintptr_t crebind_symbol_address(const struct crebind_image *image, const ElfW(Sym) * symbol,
                                 uintptr_t value);

#pragma GCC visibility pop

#endif
