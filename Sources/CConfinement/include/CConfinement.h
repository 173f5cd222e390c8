// Limits that a process sets on itself before it decodes bytes of strangers, and cannot remove. In C because the filter
// of system calls is a table of the kernel's macros, and its numbers are those of the processor that it is compiled for.

#ifndef CCONFINEMENT_H
#define CCONFINEMENT_H

#include <stddef.h>

/// Leaves this process what it needs to read its standard input, compute, and write its standard output and error. A
/// filter of system calls ends it with SIGSYS at any other call: it can open no file and no connection, start no process
/// and run no code that it has made. Where the kernel has no such filter, the limits alone refuse new descriptors, larger
/// files, core dumps and, except to root, new processes.
/// @param memory bytes of address space, with those that it has; more are refused to its allocator.
/// @param seconds of the processor, after which SIGXCPU ends it.
/// @return 0, or the errno of a limit that could not be set.
int confine_process(size_t memory, unsigned seconds);

#endif
