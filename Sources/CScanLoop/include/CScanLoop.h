// A display that does not refresh itself is refreshed here: a thread of its own, under real-time priority where that is
// allowed, which plays one frame of line levels after another at absolute times. While it plays it neither allocates nor
// locks; without anything to play it sleeps until the next order.
//
// Orders come from one thread. They are copied into buffers made beforehand and change hands by an atomic index, so
// neither side waits for the other.

#ifndef CSCANLOOP_H
#define CSCANLOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CGPIOBank.h"

/// Steps of one frame. The longest is that of eight digits behind shift registers: some 600.
#define SCANLOOP_MAX_STEPS 2048u

/// Waits up to this long are kept whole however late they begin: a blank that is cut short shows ghosts. Longer ones
/// end at their place in time, so that what the sets take does not add up.
#define SCANLOOP_WHOLE_WAIT_NANOSECONDS 100000u

/// Shorter waits spin: going to sleep and waking up would take longer.
#define SCANLOOP_SPIN_NANOSECONDS 15000

/// Of SCHED_FIFO: above everything ordinary, below the kernel's own threads for interrupts (50).
#define SCANLOOP_PRIORITY 10

/// Sets lines, then waits.
typedef struct {
  uint32_t mask;              ///< the lines to set; 0 for none
  uint32_t levels;            ///< theirs
  uint32_t wait_nanoseconds;  ///< 0 for none
} scanloop_step;

/// What sets the lines.
typedef struct {
  /// Sets all lines at once. Answers 0 or a negative errno.
  int (*set)(void *context, uint64_t levels);
  void *context;
} scanloop_lines;

/// The lines of a bank, which must live until the loop has let go of them (see `scanloop_news.fault_number`) or ended.
scanloop_lines scanloop_lines_of_bank(cgpiobank *bank);

/// Another clock than CLOCK_MONOTONIC, for tests.
typedef struct {
  int64_t (*now)(void *context);
  void (*wait)(void *context, int64_t until);
  void *context;
} scanloop_clock;

/// What to play.
typedef struct {
  const scanloop_step *steps;
  size_t count;  ///< at most SCANLOOP_MAX_STEPS
  scanloop_lines lines;
  uint64_t idle_levels;       ///< that the lines have when they are new here
  uint32_t late_nanoseconds;  ///< a deadline missed by more makes its frame late
  bool repeats;               ///< otherwise it is played once, and the loop rests
  uint64_t number;            ///< comes back in the news; greater than 0
} scanloop_order;

/// What has happened so far.
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
/// - real_time: asks for SCHED_FIFO. Where that is refused the thread is an ordinary one.
/// - news: called on the loop's thread when there is some; must not block.
///
/// Answers 0, or a negative errno where there is no memory or no thread.
int scanloop_start(
    const scanloop_clock *clock, bool real_time, void (*news)(void *context), void *context, scanloop **loop);

/// Plays this from the next frame on. -E2BIG: too many steps. -EINVAL: none, or none of them waits though it repeats.
int scanloop_play(scanloop *loop, const scanloop_order *order);

/// For any thread.
scanloop_news scanloop_get_news(scanloop *loop);

/// Ends the thread, after an order that does not repeat was played. Not at the same time as `scanloop_play`. Further calls
/// do nothing.
void scanloop_stop(scanloop *loop);

/// Ends the thread and frees the loop. NULL is fine.
void scanloop_free(scanloop *loop);

#endif
