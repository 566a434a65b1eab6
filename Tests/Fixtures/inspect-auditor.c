// What the loader asks how it binds symbols.

unsigned la_version(unsigned version) { return version; }
