// The loader asks it how it binds symbols.

unsigned la_version(unsigned version) { return version; }
