// Whoever imports RebindFiles alone has the vocabulary too, with the members of its types: `Machine`,
// `ImageType` and others are part of this interface.
@_exported public import ELFVocabulary
