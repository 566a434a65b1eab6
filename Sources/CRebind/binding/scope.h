/// Finds the definition that the loader would bind a reference to.
///
/// The loader's own lookup is no use: dlsym knows the scope of its caller only, takes the loader's
/// lock, and may be rebound. So the scopes are rebuilt from what the images say of themselves. A
/// reference is looked up in
/// 1. its own image, if that is linked with -Bsymbolic;
/// 2. the global scope: the program, preloaded images, and those that these need, in load order;
/// 3. images that were opened with RTLD_GLOBAL, in the order of opening, at the global scope's end;
/// 4. the local scopes. Each image whose DT_NEEDED entries lead to the reference's own image has
///    one: that image and all that it needs, breadth first.
///
/// Opening with RTLD_GLOBAL leaves no trace in the images. Where images outside of the global scope
/// define a name, the loader has to be asked, which cannot be done under its lock. The question is
/// put, and the call tries again. RTLD_DEEPBIND, which puts 4 before 2, leaves no trace either and
/// cannot be asked for: such an image is taken for an ordinary one.

#if defined(__linux__)
#pragma once

#include "binding/ifunc.h"
#include "binding/loader-answers.h"
#include "elf/symbol.h"

#pragma GCC visibility push(hidden)

struct crebind_scopes {
  const struct crebind_images *images;
  const struct crebind_dynamic *dynamics;
  /// For image i, its dependencies are `edges[first_edge[i] ..< first_edge[i + 1]]`.
  struct crebind_vector first_edge, edges;  // uint32_t
  /// Is the image in the global scope?
  struct crebind_vector is_global;  // bool
  /// All images from here on are outside of it, and how many are.
  size_t global_end, outside_count;
  struct crebind_vector queue, visited;  // uint32_t and bool, for searches
  /// The local scopes of the image that was asked about last, one after the other: that image's
  /// index plus one, or 0, and the images to look through, each once.
  size_t local_scopes_of;
  struct crebind_vector local_scopes, is_listed;  // uint32_t; bool, by image
  /// The loader's answers; NULL if it is not asked, and images that were opened later are
  /// passed over.
  struct crebind_loader_answers *answers;
  /// The resolvers' answers; NULL if none is called.
  struct crebind_ifuncs *ifuncs;
  /// The images' indices in the records.
  const uint32_t *known_of;
  /// The versions of the images' symbols; whoever has the scopes may ask.
  struct crebind_versions *versions;
  bool is_ready;
};

/// The name, and the version that the reference asks for (NULL for none).
struct crebind_reference {
  struct crebind_name name;
  const char *version;
  /// Without a version: take the default one, as dlsym does, rather than the
  /// first, as the loader does for an image that was linked without versions.
  bool wants_default;
};

/// A definition, or `image` SIZE_MAX for none.
struct crebind_definition {
  size_t image, symbol;
};

/// The arrays and the versions must outlive the scopes. For phase C.
void crebind_scopes_begin(struct crebind_scopes *scopes, const struct crebind_images *images,
                          const struct crebind_dynamic *dynamics,
                          struct crebind_versions *versions);
/// Gives the scopes the images' dynamic tables, and the indices of the known images.
void crebind_scopes_fill(struct crebind_scopes *scopes, const struct crebind_dynamic *dynamics,
                         const uint32_t *known_of);

/// Has questions put, and answers taken, here.
void crebind_scopes_ask_with(struct crebind_scopes *scopes, struct crebind_loader_answers *answers,
                             struct crebind_ifuncs *ifuncs);

void crebind_scopes_end(struct crebind_scopes *scopes);

/// The definition that a reference in the image with index `from` is bound to; a non-PIE
/// executable's canonical PLT entry is looked through.
crebind_status crebind_scopes_lookup(struct crebind_scopes *scopes, size_t from,
                                     const struct crebind_reference *reference,
                                     struct crebind_definition *definition);

/// The definition that an image by itself offers to a reference, wherever that is.
struct crebind_definition crebind_scopes_offer(const struct crebind_scopes *scopes, size_t index,
                                               const struct crebind_reference *reference);

/// False if a lookup has put a question, and so gave no answer to rely on.
static inline bool crebind_scopes_are_sure(const struct crebind_scopes *scopes) {
  return (scopes->answers == NULL || !crebind_loader_answers_are_open(scopes->answers))
         && (scopes->ifuncs == NULL || !crebind_ifuncs_are_open(scopes->ifuncs));
}

/// True if an image of the global scope, as it was at start, offers the reference in front
/// of image `index`. The scopes have been used before.
bool crebind_scopes_have_before(const struct crebind_scopes *scopes, size_t index,
                                const struct crebind_reference *reference);

/// If the global scope has no definition, finds the one that may be redirected in the images
/// outside of it. That is the definition of the first image that was opened with RTLD_GLOBAL, or
/// the only definition. The scopes must have been used before.
///
/// \param is_contested Receives true if several images offer it: opening one of them again
///   with RTLD_GLOBAL changes the answer, and nothing tells.
crebind_status crebind_scopes_elect_outside(struct crebind_scopes *scopes,
                                            const struct crebind_reference *reference,
                                            struct crebind_definition *definition,
                                            bool *is_contested);

/// True if a definition that a lookup has found is in the global scope.
static inline bool crebind_scopes_is_global(const struct crebind_scopes *scopes,
                                            struct crebind_definition definition) {
  return definition.image != SIZE_MAX
         && *(const bool *)crebind_vector_at(&scopes->is_global, definition.image);
}

/// False for an image of the global scope, as it was at start.
crebind_status crebind_scopes_is_outside(struct crebind_scopes *scopes, size_t image,
                                         bool *is_outside);

/// False for the program, what is preloaded, and what they need.
crebind_status crebind_scopes_may_be_unloaded(struct crebind_scopes *scopes, size_t image,
                                              bool *may_be);

/// True if image `from` is outside of the global scope, and a local scope that it looks
/// through has image `definer`. False without memory, too.
bool crebind_scopes_reach_locally(struct crebind_scopes *scopes, size_t from, size_t definer);

/// The address that a definition leads to as it is, redirected or not; 0 as with the next function.
uintptr_t crebind_scopes_current_address(struct crebind_scopes *scopes,
                                         struct crebind_definition definition);

/// The run-time address of a symbol that the image with this index defines, with `value` in place
/// of its `st_value`. For an IFUNC it is the result of the resolver, and 0 if that has to be called
/// first, or must not be. Phase C.
uintptr_t crebind_symbol_address(struct crebind_scopes *scopes, size_t index,
                                 const ElfW(Sym) * symbol, uintptr_t value);

#pragma GCC visibility pop
#endif
