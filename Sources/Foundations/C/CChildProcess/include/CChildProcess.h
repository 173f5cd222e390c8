// Starts a process that cannot outlive the daemon by mistake. In C because between fork and exec only functions that
// are safe in a signal handler may run, which Swift does not guarantee; posix_spawn cannot request the death signal.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// A running process, and the daemon's ends of its standard streams: close-on-exec and non-blocking.
struct child_process {
  pid_t pid;
  /// A descriptor that is readable once the process has ended.
  int pidfd;
  int input;
  int output;
  int errors;
};

/// The step that failed.
enum child_fault {
  CHILD_FAULT_NONE,
  /// Pipes, fork or pidfd: the system has no resources for another process.
  CHILD_FAULT_RESOURCES,
  /// The working folder cannot be entered.
  CHILD_FAULT_FOLDER,
  /// The program cannot be executed.
  CHILD_FAULT_PROGRAM,
};

/// Starts `path` as the leader of its own session and process group, with every signal at its default, with no other
/// descriptors than its three streams, and to be killed when the calling thread ends. Returns once the program has
/// replaced the forked copy.
/// @param keeps_orphans true to make orphaned processes its children until it ends. They stay zombies if it does not
/// reap them.
/// @param code the errno of the failed step.
enum child_fault child_process_start(
  const char *path, char *const arguments[], char *const environment[], const char *folder, bool keeps_orphans,
  struct child_process *process, int *code);

/// Returns how a child ended, without reaping it: it keeps its number, so that its group can be signalled safely.
/// @param by_signal set to 1 if a signal ended it.
/// @return the exit status or the signal's number; -1 while it runs.
int child_process_ending(pid_t pid, int *by_signal);

/// Removes an ended child from the process table.
void child_process_reap(pid_t pid);

/// Makes the daemon the parent of the processes that its children leave behind in any session, from now on. Such a
/// process starts children only by `child_process_start`.
/// @return the errno if the kernel refuses it; else 0.
int child_process_adopt_orphans(void);
bool child_process_adopts_orphans(void);

/// Finds the daemon's children that were not started here.
/// @return the number of them, `limit` at most.
size_t child_process_orphans(pid_t *orphans, size_t limit);

/// Removes an orphan from the process table if it has ended.
/// @return true if it is gone.
bool child_process_reap_orphan(pid_t pid);
