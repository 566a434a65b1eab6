#include "RebindAnnotations.h"

// What an image whose records are Swift's cannot write itself: the note that leads to them,
// and the constructor and destructor that tell of it.
REBIND_INDEX(rebind_annotations)
REBIND_TELL
