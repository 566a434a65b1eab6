/// The stubs of the torture: all functions that its program calls.

#ifndef TORTURE_HOOKS_H
#define TORTURE_HOOKS_H

#if defined(__cplusplus)
extern "C" {
#endif

/// Points the slots at the stubs, and back.
void hook(void);
void unhook(void);

/// The calls so far whose ends were seen, and those whose ends could not be awaited.
long ended_calls(void);
long calls_without_an_end(void);

#if defined(__cplusplus)
}
#endif

#endif
