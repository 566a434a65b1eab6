/// The cost of a call that goes through a slot.

#ifndef CALLS_H
#define CALLS_H

/// Nanoseconds a call of `callee`: to itself; to a replacement that returns at
/// once; to a replacement that goes on to the original. And of that first
/// replacement without a slot, by a pointer.
struct call_times {
  double unhooked, replaced, passed_on, replacement;
};

struct call_times measure_calls(void);

/// In a shared library of its own, so that the call goes through the PLT.
int callee(int value);

#endif
