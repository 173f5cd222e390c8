// A copy of the test's process that confines itself and then tries something. In C, because Swift cannot fork.

#ifndef CONFINEMENT_PROBE_H
#define CONFINEMENT_PROBE_H

enum probe_attempt {
  PROBE_READ_AND_WRITE,
  PROBE_SMALL_MEMORY,
  PROBE_LARGE_MEMORY,
  PROBE_EXECUTABLE_MEMORY,
  PROBE_OTHER_DESCRIPTOR,
  PROBE_OPEN,
  PROBE_SOCKET,
  PROBE_FORK,
  PROBE_EXECUTE,
  PROBE_ABORT,
  PROBE_SIGNAL,
  PROBE_SIGNAL_THREAD,
  PROBE_TRACE,
  PROBE_SPIN,
};

/// @param has_filter 0 makes the kernel seem to have no filter of system calls.
/// @param by_signal set to 1 if a signal ended the process.
/// @return the signal's number, or the attempt's errno, 0 for success; -1 if there was no process.
int probe_confined(enum probe_attempt attempt, int has_filter, int *by_signal);

#endif
