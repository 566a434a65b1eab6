/// Defines what the fixture rebinds.

int value(void);
int value(void) { return 7; }
