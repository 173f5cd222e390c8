// The allocator's own calls, which Swift's module of the C library leaves out, and the pages of the program itself.
#ifndef DESKBELL_MEMORY_H
#define DESKBELL_MEMORY_H

#include <malloc.h>

/// Unmaps the code and constants that were used so far, of the program and of its libraries. They are mapped again, page by
/// page from the page cache, where they are used again.
void memory_give_back_program(void);

#endif
