/// From what is known of an image and a symbol to the reasons why a rebinding sees the image's
/// calls, or does not. `crebind_diagnose` knows these facts of loaded images, and
/// `rebind-inspect` knows them of files and of other processes. CRebindReasons.def has the words
/// and sentences.
///
/// The functions look at their arguments alone, take no lock and allocate nothing. All details
/// are constants.

#if defined(__linux__)
#pragma once

#include "CRebind.h"

#pragma GCC visibility push(hidden)

// MARK: - References

/// A reference of an image: what it is bound to, and what was asked for.
struct crebind_reference_facts {
  bool asks_for_version, asks_for_library;
  /// The binding has a version; it is the one that was asked for.
  bool has_version, is_version;
  /// Something defines the symbol; its library is the one that was asked for.
  bool is_defined, is_library;
};

/// Why the slots of a reference are not those that were asked for; 0 if they are.
///
/// \returns CREBIND_REASON_OTHER_VERSION, whose detail is the version of the binding, or `none`
///   without one; CREBIND_REASON_OTHER_LIBRARY, whose detail is the library that defines the
///   symbol; or CREBIND_REASON_UNCHANGEABLE where nothing does, see `crebind_detail_of_undefined`.
crebind_reason crebind_reason_of_reference(const struct crebind_reference_facts *facts);

/// The detail of CREBIND_REASON_UNCHANGEABLE for references that nothing defines.
const char *crebind_detail_of_undefined(bool is_weak);

// MARK: - Definitions

/// A symbol that an image defines and exports.
struct crebind_definition_facts {
  /// A sanitizer defines the function here.
  bool is_interceptor;
  bool is_data;
  /// The data is a copy of a library's: an R_*_COPY relocation has its symbol.
  bool is_copied;
  /// The symbol is STV_PROTECTED.
  bool is_protected;
  /// The image has DT_SYMBOLIC or DF_SYMBOLIC.
  bool is_symbolic;
};

/// The detail of CREBIND_REASON_BOUND_INSIDE for such a definition; "" where the tables do not
/// tell.
const char *crebind_detail_of_definition(const struct crebind_definition_facts *facts);

/// Why no loader knows a function. The better answer has the higher value.
enum crebind_own {
  CREBIND_OWN_NONE = 0,
  /// A variable has the name.
  CREBIND_OWN_DATA,
  /// STB_LOCAL: static, or made local by the linker.
  CREBIND_OWN_LOCAL,
  /// Hidden or internal: linkers make such symbols local, and most leave their visibility.
  CREBIND_OWN_HIDDEN,
  /// Not exported, as mostly in a program.
  CREBIND_OWN_UNEXPORTED,
};

/// The same of a symbol in the linker's symbol table: `STT_`, `STB_`, `STV_` and `SHN_` constants.
enum crebind_own crebind_own_of(uint8_t type, uint8_t binding, uint8_t visibility,
                                uint16_t section);

/// The detail of CREBIND_REASON_BOUND_INSIDE for such a symbol; NULL for CREBIND_OWN_NONE.
const char *crebind_detail_of_own(enum crebind_own own);

// MARK: - Images

/// Slots that a rebinding does not change.
struct crebind_fixed_slots {
  size_t count;
  /// The detail of CREBIND_REASON_UNCHANGEABLE.
  const char *detail;
};

/// The slots that an image has for the symbol, as it was asked for, and its definition.
struct crebind_image_facts {
  /// False if the image is out of scope. Then the only reason is its slots.
  bool is_in_scope;
  /// Slots that a rebinding changes. All counts but the last three are of these.
  size_t changeable;
  /// Pointers in data, and not what code loads from.
  size_t in_data;
  /// Slots that calls bypass, and those that calls may come to bypass.
  size_t bypassed, may_be_bypassed;
  /// Slots in pages that the file asks to seal.
  size_t to_be_sealed;
  /// Slots in pages that are sealed; slots that are bound in another local scope; and slots of
  /// kinds that are not in scope.
  size_t sealed, left_alone, other_kinds;
  const struct crebind_fixed_slots *fixed;
  size_t fixed_count;
  /// The image has slots of references that were not asked for.
  bool has_other_references;
  /// The image asks for the symbol, and its relocations are packed.
  bool is_packed;
  /// The image asks for the symbol, with slots or without.
  bool asks;
  /// See `crebind_detail_of_definition`; NULL if the image does not define the symbol as it was
  /// asked for.
  const char *definition;
  /// The image defines the name, but not as it was asked for: the detail of
  /// CREBIND_REASON_NOT_DEFINED, `version` or `library`; else NULL.
  const char *other_definition;
};

/// Receives a reason, with its detail ("" for none) and how many slots it is about.
typedef void crebind_reason_visitor(crebind_reason reason, const char *detail, size_t slots,
                                    void *context);

/// Tells the reasons, the answer first.
///
/// \returns True if the image's tables know nothing of the symbol, so that its file may.
bool crebind_visit_reasons(const struct crebind_image_facts *facts, crebind_reason_visitor *visit,
                           void *context);

#pragma GCC visibility pop
#endif
