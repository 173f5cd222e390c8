// Refreshes a display that does not refresh itself: a thread, under real-time priority if that is permitted, plays one
// frame of line levels after another at absolute times. While it plays it neither allocates nor locks; with nothing to
// play it sleeps until the next order.
//
// Orders come from one thread. They are copied into preallocated buffers and are handed over by an atomic index, so
// neither side waits for the other.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CGPIOBank.h"

/// The steps of one frame. The longest, of eight digits behind shift registers, has some 600.
#define SCANLOOP_MAX_STEPS 2048u

/// Waits up to this length are kept whole even if they begin late: a shortened blank shows ghosts. Longer ones end at
/// their absolute time, so that the time of the sets does not add up.
#define SCANLOOP_WHOLE_WAIT_NANOSECONDS 100000u

/// Shorter waits spin: going to sleep and waking up would take longer.
#define SCANLOOP_SPIN_NANOSECONDS 15000

/// The priority of SCHED_FIFO: above all ordinary threads, below the kernel's own threads for interrupts (50).
#define SCANLOOP_PRIORITY 10

/// A step: sets lines, then waits.
typedef struct {
  uint32_t mask;              ///< the lines to set; 0 for none
  uint32_t levels;            ///< theirs
  uint32_t wait_nanoseconds;  ///< 0 for none
} scanloop_step;

typedef struct {
  /// Sets all lines at once. Returns 0 or a negative errno.
  int (*set)(void *context, uint64_t levels);
  void *context;
} scanloop_lines;

/// Returns the lines of a bank, which must live until the loop releases it (`scanloop_news.fault_number`) or has ended.
scanloop_lines scanloop_lines_of_bank(cgpiobank *bank);

/// A clock other than CLOCK_MONOTONIC, for tests.
typedef struct {
  int64_t (*now)(void *context);
  void (*wait)(void *context, int64_t until);
  void *context;
} scanloop_clock;

typedef struct {
  const scanloop_step *steps;
  size_t count;  ///< at most SCANLOOP_MAX_STEPS
  scanloop_lines lines;
  uint64_t idle_levels;       ///< that the lines have when they are new here
  uint32_t late_nanoseconds;  ///< a deadline missed by more makes its frame late
  bool repeats;               ///< otherwise it is played once, and the loop rests
  uint64_t number;            ///< comes back in the news; greater than 0
} scanloop_order;

typedef struct {
  uint64_t shown_number;  ///< the newest order that was played to the end of a frame; 0 for none
  int64_t shown_at;       ///< when that frame's last line was set, in nanoseconds of the clock
  uint64_t fault_number;  ///< the newest order that failed; the loop rests since, and has let go of its lines
  int fault;              ///< what setting the lines answered: a negative errno
  uint64_t frames;        ///< played to their end
  uint64_t late_frames;   ///< of these, with a deadline missed by more than the order allows
  int priority_error;     ///< an errno: why the thread was refused real-time priority; 0 if it was not
} scanloop_news;

typedef struct scanloop scanloop;

/// Starts the thread, which sleeps.
///
/// - clock: NULL for CLOCK_MONOTONIC; copied.
/// - real_time: asks for SCHED_FIFO. If that is refused, the thread is an ordinary one.
/// - news: called on the loop's thread when there is some; must not block.
///
/// Returns 0, or a negative errno if there is no memory or no thread.
int scanloop_start(
    const scanloop_clock *clock, bool real_time, void (*news)(void *context), void *context, scanloop **loop);

/// Plays an order from the next frame on. -E2BIG: too many steps. -EINVAL: no steps, or a repeated frame without wait.
int scanloop_play(scanloop *loop, const scanloop_order *order);

/// Returns the news, on any thread.
scanloop_news scanloop_get_news(scanloop *loop);

/// Ends the thread, after an order that does not repeat was played. Must not be called at the same time as
/// `scanloop_play`. Further calls do nothing.
void scanloop_stop(scanloop *loop);

/// Ends the thread and frees the loop.
void scanloop_free(scanloop *loop);
