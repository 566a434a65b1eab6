#if defined(__linux__) && !defined(CREBIND_VERSION_H)
#define CREBIND_VERSION_H

/// The text of the file VERSION, with the line's end.
const char *_Nonnull crebind_version_file(void);

#endif
