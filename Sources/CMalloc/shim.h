// What glibc has to say about its allocator, which the Glibc module leaves out.
#include <malloc.h>
