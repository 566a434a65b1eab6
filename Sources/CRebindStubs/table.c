/// The words that the code of stubs and trampolines reads. They are on the lowest floor: that code calls C through them.

#if defined(__linux__)
#include "layout.h"

crebind_stubs_data crebind_stubs_all[CREBIND_STUBS_COUNT]
    __attribute__((aligned(CREBIND_STUBS_SIZE)));
crebind_stubs_return crebind_stubs_returns[CREBIND_STUBS_TRAMPOLINES];
crebind_stubs_handler *crebind_stubs_asked, *crebind_stubs_hot;
crebind_stubs_teller *crebind_stubs_told;
#endif
