// Starts a process that cannot outlive us by mistake. In C because between fork and exec only functions that are safe
// in a signal handler may run, and Swift promises that of none of its own; posix_spawn cannot ask for the death signal.

#ifndef CHOOKPROCESS_H
#define CHOOKPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// A process that runs, and our ends of its standard streams: close-on-exec, and none of them blocks.
struct hook_process {
  pid_t pid;
  /// Readable once the process has ended.
  int pidfd;
  int input;
  int output;
  int errors;
};

/// What failed, where something did.
enum hook_fault {
  HOOK_FAULT_NONE,
  /// Pipes, fork or pidfd: the system has no resources for another process.
  HOOK_FAULT_RESOURCES,
  /// The working folder cannot be entered.
  HOOK_FAULT_FOLDER,
  /// The program cannot be executed.
  HOOK_FAULT_PROGRAM,
};

/// Starts `path` as the leader of its own session and process group, with every signal at its default, with no other
/// descriptor than its three streams, and to be killed when the calling thread ends. Returns when the program has
/// taken the place of our copy.
/// @param keeps_orphans whether processes whose parents have ended become its children, until it ends itself. They stay
/// zombies where it does not reap them.
/// @param code errno of what failed.
enum hook_fault hook_process_start(
  const char *path, char *const arguments[], char *const environment[], const char *folder, bool keeps_orphans,
  struct hook_process *process, int *code);

/// How a child ended, without reaping it: it keeps its number, so that its group can be signalled safely.
/// @param by_signal set to 1 where it was a signal.
/// @return the exit status or the signal's number; -1 while it runs.
int hook_process_ending(pid_t pid, int *by_signal);

/// Takes an ended child off the process table.
void hook_process_reap(pid_t pid);

/// From now on what our children leave behind, in whatever session, becomes our child. A process that does so starts
/// children by `hook_process_start` only.
/// @return errno where the kernel refuses it; else 0.
int hook_process_adopt_orphans(void);
bool hook_process_adopts_orphans(void);

/// Finds our children that were not started here.
/// @return how many there are, `limit` at most.
size_t hook_process_orphans(pid_t *orphans, size_t limit);

/// Takes an orphan off the process table if it has ended.
/// @return whether it is gone.
bool hook_process_reap_orphan(pid_t pid);

#endif
