/// Calls `value`, which it also defines: bound inside with -Bsymbolic, else to
/// the first definition in the global scope. And an IFUNC.

int value(void) { return VALUE; }
int CALLER(void) { return value(); }

#ifdef WITH_IFUNC
static int chosen(void) { return 7; }
__attribute__((used)) static int (*choose(void))(void) { return chosen; }
int indirect(void) __attribute__((ifunc("choose")));
int call_indirect(void) { return indirect(); }
#endif
