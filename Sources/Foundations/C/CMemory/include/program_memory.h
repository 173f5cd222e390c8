// The allocator's own calls, which Swift's module of the C library lacks, and the pages of the program itself.
#pragma once

#include <malloc.h>

/// Unmaps the code and constants of the program and its libraries that were used so far. When they are used again, they
/// are mapped again, page by page, from the page cache.
void memory_give_back_program(void);
