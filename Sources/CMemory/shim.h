// The allocator's own calls and the list of what is loaded, which Swift's module of the C library leaves out.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <malloc.h>
