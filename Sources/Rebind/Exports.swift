#if os(Linux) && !REBIND_ELSEWHERE
// Whoever imports Rebind has the vocabulary too, with the members of its types: `DynamicTag` and others
// are part of this interface.
@_exported public import ELFVocabulary
#endif
