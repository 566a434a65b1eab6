#if defined(__linux__)
#include "RebindAnnotations.h"

// The parts that an image whose records are Swift's cannot write itself: the note that leads to the
// records, and the constructor and destructor that announce the image.
REBIND_INDEX(rebind_annotations)
REBIND_TELL
#endif
