// Limits that a process sets on itself before it decodes untrusted bytes, and cannot remove. In C because the filter of
// system calls is a table of the kernel's macros, with the numbers of the target processor.

#pragma once

#include <stddef.h>

/// Restricts this process to reading its standard input, computing, and writing its standard output and error. A filter
/// of system calls ends it with SIGSYS at any other call: it can open no file and no connection, start no process and
/// run no code that it has generated. If the kernel has no such filter, only the limits refuse new descriptors, larger
/// files, core dumps and, except to root, new processes.
/// @param memory the limit of the address space in bytes, including present use; more is refused to the allocator.
/// @param seconds the processor time after which SIGXCPU ends the process.
/// @return 0, or the errno of a limit that could not be set.
int confine_process(size_t memory, unsigned seconds);
