#if defined(__linux__)
#include "CRebindVersion.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

const char *crebind_version_file(void) {
  static const char text[] = {
#embed "../../VERSION" suffix(, 0)
  };
  return text;
}
#endif
