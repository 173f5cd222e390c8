// The system's libyaml, as a module that only StrictYAML imports.
#include <yaml.h>
