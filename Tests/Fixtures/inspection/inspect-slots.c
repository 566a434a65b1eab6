// A slot of each kind. It needs no libc, so that it builds for every target.

extern int imported(void);
extern int imported_data[2];

/// A pointer in data that stays writable, and one that does not.
int (*pointer)(void) = imported;
int (*const constant_pointer)(void) = imported;
/// One with an addend.
int *behind = &imported_data[1];

int (*address(void))(void) { return imported; }
int call(void) { return imported() + imported_data[0]; }
