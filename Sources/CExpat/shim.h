// The system's XML parser, as a module that only PushGateway imports.
#include <expat.h>
