/// A definition, with -DLATER another one, and with -DCALLER who calls both.

#ifdef CALLER
int unpatchable(void), unpatchable_later(void);
int call_unpatchable(void) { return unpatchable(); }
int call_unpatchable_later(void) { return unpatchable_later(); }
#elif defined LATER
int unpatchable_later(void) { return 8; }
#else
int unpatchable(void) { return 7; }
#endif
