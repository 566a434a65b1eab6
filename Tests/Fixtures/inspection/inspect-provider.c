// The functions that inspect-symbols.c imports, under the versions PROVIDER_1 and PROVIDER_2.

int provided_function(void) { return 1; }
int provided_later(void) { return 2; }
int provided_data = 3;
