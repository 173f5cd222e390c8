// The allocator's own calls, which Swift's module of the C library leaves out.
#include <malloc.h>
