// A C target has at least one source file.
#include "CDeskbellCurl.h"
