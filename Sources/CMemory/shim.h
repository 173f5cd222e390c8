// The allocator's own calls and the list of what is loaded, which Swift's module of the C library leaves out.
// GNU's names change types of headers that other C modules share, and a type must be the same in all of them. So these
// are read first, without those names.
#include <sys/types.h>
#ifndef __USE_GNU
#define __USE_GNU
#endif
#include <link.h>
#include <malloc.h>
