#if !__has_include(<ffi.h>)
#error "install libffi-dev (sudo apt-get install libffi-dev): RebindTesting needs libffi"
#endif
#include <ffi.h>
