/// Changes words in a page that shares its segment with code. The dynamic symbols lie in such a
/// page if the linker puts them into the code's segment. GNU ld does so on AArch64 and others, and
/// on x86-64 with `-z noseparate-code`.
///
/// Such a page is never opened in place: no page is writable and executable at once, and a mapping
/// that is opened and closed again loses PROT_BTI. A copy is prepared in memory of our own, gets
/// its final protection, and is moved over the page by mremap(2), in one step. Other threads run
/// code in the page before and after. The page itself is kept at another place (MREMAP_DONTUNMAP),
/// and moved back once no word in it differs.
///
///     before     [ file ....................................... ]
///     kept       [ file ..... ][ file, read anew ][ file ...... ]   [ kept ]
///     moved      [ file ..... ][      copy       ][ file ...... ]   [ kept ]
///     after      [ file ....................................... ]
///
/// - Between the two moves the file's own page is there, so the page must equal it. A page that has
///   been written to (text relocations, a debugger's breakpoints, a hook in the code, another copy
///   of this core) is refused.
/// - MREMAP_DONTUNMAP takes VM_LOCKED from the whole mapping, so the page has to be a mapping of
///   its own first. MADV_DONTDUMP splits it off; MADV_DODUMP, after the page is back, joins it
///   again. A page that the program had excluded from core dumps is included afterwards.
/// - A page that certainly holds no code becomes readable only. That is allowed even where new
///   executable memory is not (PR_SET_MDWE, SELinux' execmem).
/// - Kernels before Linux 5.13 refuse to keep pages of files. The pages that have been written to
///   are known from /proc/self/pagemap. If that file cannot be read, or does not describe this
///   process (in emulators), the page is compared with the image's file.
/// - qemu-user 7.2 takes the page for unmapped between the two moves, which other threads
///   may see there.

#if defined(__linux__)
#pragma once

#include "patching/patch.h"

#pragma GCC visibility push(hidden)

/// The means to change the pages of one image. Phase C.
struct crebind_mover {
  const struct crebind_world *world;
  size_t index;
  /// The descriptor of /proc/self/pagemap, or negative.
  long pagemap;
};

void crebind_mover_begin(struct crebind_mover *mover, const struct crebind_world *world,
                         size_t index);
void crebind_mover_end(struct crebind_mover *mover);

/// Stores changes of one page, or takes them back: all, or none. Returns 0 or an `errno`,
/// ENOTSUP for a page that has been written to.
int crebind_mover_store(struct crebind_mover *mover, const struct crebind_change *changes,
                        size_t count, bool takes_back);

/// Frees the kept pages of images that have gone.
///
/// \param looks_closer An image may have been replaced by another one at its place.
void crebind_page_copy_forget(const struct crebind_world *world, bool looks_closer);

#pragma GCC visibility pop
#endif
