#if defined(__linux__)
#define _GNU_SOURCE
#include "runtime/reasons.h"

#include <elf.h>

crebind_reason crebind_reason_of_reference(const struct crebind_reference_facts *facts) {
  if (facts->asks_for_version && !facts->is_version) {
    if (facts->has_version) return CREBIND_REASON_OTHER_VERSION;
    if (!facts->is_defined) return CREBIND_REASON_UNCHANGEABLE;
    // A definition without any version is identified by its library, unless that was asked for.
    return facts->asks_for_library && facts->is_library ? CREBIND_REASON_OTHER_VERSION
                                                        : CREBIND_REASON_OTHER_LIBRARY;
  }
  bool is_other = facts->asks_for_library && facts->is_defined && !facts->is_library;
  return is_other ? CREBIND_REASON_OTHER_LIBRARY : 0;
}

const char *crebind_detail_of_undefined(bool is_weak) { return is_weak ? "weak" : "undefined"; }

const char *crebind_detail_of_definition(const struct crebind_definition_facts *facts) {
  if (facts->is_interceptor) return "sanitizer";
  if (facts->is_data) return facts->is_copied ? "copied" : "data";
  if (facts->is_protected) return "protected";
  return facts->is_symbolic ? "-Bsymbolic" : "";
}

enum crebind_own crebind_own_of(uint8_t type, uint8_t binding, uint8_t visibility,
                                uint16_t section) {
  if (section == SHN_UNDEF || section == SHN_ABS) return CREBIND_OWN_NONE;
  switch (type) {
  case STT_OBJECT:
  case STT_COMMON:
  case STT_TLS: return CREBIND_OWN_DATA;
  case STT_FUNC:
  case STT_GNU_IFUNC:
  case STT_NOTYPE: break;
  default: return CREBIND_OWN_NONE;
  }
  if (visibility == STV_HIDDEN || visibility == STV_INTERNAL) return CREBIND_OWN_HIDDEN;
  return binding == STB_LOCAL ? CREBIND_OWN_LOCAL : CREBIND_OWN_UNEXPORTED;
}

const char *crebind_detail_of_own(enum crebind_own own) {
  static const char *const details[] = {
      [CREBIND_OWN_NONE] = NULL,        [CREBIND_OWN_DATA] = "data",
      [CREBIND_OWN_LOCAL] = "local",    [CREBIND_OWN_HIDDEN] = "hidden",
      [CREBIND_OWN_UNEXPORTED] = "unexported",
  };
  return details[own];
}

bool crebind_visit_reasons(const struct crebind_image_facts *facts, crebind_reason_visitor *visit,
                           void *context) {
  if (!facts->is_in_scope) {
    if (facts->changeable != 0) visit(CREBIND_REASON_NOT_IN_SCOPE, "", facts->changeable, context);
    return false;
  }
  size_t changeable = facts->changeable;
  bool is_in_data = changeable != 0 && facts->in_data == changeable;
  // Where calls bypass all slots, that is the answer.
  bool are_all_bypassed = facts->bypassed != 0 && facts->bypassed == changeable;
  bool has_slots = changeable != 0 || facts->sealed != 0 || facts->left_alone != 0
                   || facts->fixed_count != 0 || facts->has_other_references;
  bool is_of_kind = !has_slots && facts->other_kinds != 0;
  // Relocations that are packed are told besides.
  bool has_none = !has_slots && !is_of_kind && !facts->is_packed;
  bool defines = facts->definition != NULL, defines_other = facts->other_definition != NULL;

  if (are_all_bypassed) visit(CREBIND_REASON_BYPASSED, "", facts->bypassed, context);
  if (changeable != 0)
    visit(CREBIND_REASON_HAS_SLOTS, is_in_data ? "data" : "", changeable, context);
  for (size_t i = 0; i < facts->fixed_count; i++)
    visit(CREBIND_REASON_UNCHANGEABLE, facts->fixed[i].detail, facts->fixed[i].count, context);
  if (is_of_kind) visit(CREBIND_REASON_NOT_IN_SCOPE, "kind", facts->other_kinds, context);
  // Where slots are in data alone, calls go by another way, if the image makes any.
  if (defines && (has_none || is_in_data))
    visit(CREBIND_REASON_BOUND_INSIDE, facts->definition, 0, context);
  if (has_none && !defines && defines_other)
    visit(CREBIND_REASON_NOT_DEFINED, facts->other_definition, 0, context);
  if (has_none && !defines && !defines_other && facts->asks)
    visit(CREBIND_REASON_UNCHANGEABLE, "", 0, context);
  if (facts->is_packed) visit(CREBIND_REASON_UNCHANGEABLE, "packed", 0, context);
  if (facts->left_alone != 0) visit(CREBIND_REASON_OTHER_SCOPE, "", facts->left_alone, context);
  if (facts->sealed != 0) visit(CREBIND_REASON_SEALED, "", facts->sealed, context);
  if (facts->to_be_sealed != 0)
    visit(CREBIND_REASON_SEALED, "requested", facts->to_be_sealed, context);
  if (facts->bypassed != 0 && !are_all_bypassed)
    visit(CREBIND_REASON_BYPASSED, "", facts->bypassed, context);
  if (facts->may_be_bypassed != 0)
    visit(CREBIND_REASON_BYPASSED, "possible", facts->may_be_bypassed, context);
  return has_none && !defines && !defines_other && !facts->asks;
}
#endif
