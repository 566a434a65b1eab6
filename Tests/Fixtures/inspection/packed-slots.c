// Slots by the dozen, of each kind and with addends, and relative relocations, so that a linker
// finds something to pack. It needs no libc, so that it builds for every target.

extern int imported(void), other(void);
extern int imported_data[2];

static int own;

#define FOUR(value) value, value, value, value
int (*pointers[])(void) = {FOUR(imported), FOUR(imported), FOUR(imported), FOUR(other), imported};
int (*const constant_pointers[])(void) = {FOUR(other), FOUR(other), FOUR(other), 0, imported};
int *behind[] = {&imported_data[1], 0, imported_data, FOUR(&imported_data[1]), &imported_data[-1]};
int *relative[] = {FOUR(&own), 0, FOUR(&own), FOUR(&own), 0, 0, &own};

int (*address(void))(void) { return imported; }
int call(void) { return imported() + other() + imported_data[0]; }
