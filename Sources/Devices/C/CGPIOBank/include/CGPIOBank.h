// GPIO lines in banks: lines that one request takes together and that change together. One interface for libgpiod 1.6
// (Debian 12) and 2.x (Debian 13, Raspberry Pi OS), which share no API; the version is chosen at compile time.
//
// Calls that can fail return 0 or more, or a negative errno. There is no global state: chips and banks are independent
// of each other, and each may be used by another thread. A chip and the banks of its lines are used by one thread at a
// time.
//
// Setting and reading neither allocate nor lock.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The lines of one bank: the kernel's limit for one request, and the bits of a uint64_t.
#define CGPIOBANK_MAX_LINES 64u

/// The bytes of a chip's or line's name, label or consumer, the NUL included. (The kernel's own limit is 32.)
#define CGPIOBANK_NAME_SIZE 64u

/// The edge events that one call reads: as many as the kernel keeps of a line.
#define CGPIOBANK_MAX_EVENTS 16u

/// The consumer that the kernel shows for Deskbell's lines (`gpioinfo`).
#define CGPIOBANK_CONSUMER "deskbell"

/// The properties of a bank's lines; at most one of the three about bias.
#define CGPIOBANK_ACTIVE_LOW 0x01u     ///< 1 is the low level, for values set, values read and edges alike
#define CGPIOBANK_OPEN_DRAIN 0x02u     ///< outputs only: 0 drives low, 1 lets go of the line
#define CGPIOBANK_PULL_UP 0x04u        ///< ignored by the kernel where the chip has none
#define CGPIOBANK_PULL_DOWN 0x08u      ///< ignored by the kernel where the chip has none
#define CGPIOBANK_BIAS_DISABLED 0x10u  ///< ignored by the kernel where the chip has none
#define CGPIOBANK_EDGES 0x20u          ///< one input, with events of both edges; else the lines are outputs

/// Returns the version of the loaded libgpiod: "1.6.3", "2.2.1".
const char *cgpiobank_library_version(void);

/// An open GPIO chip, of the library. It holds no line.
typedef struct gpiod_chip cgpiobank_chip;

typedef struct {
  char name[CGPIOBANK_NAME_SIZE];   ///< "gpiochip0": changes with the order of probing
  char label[CGPIOBANK_NAME_SIZE];  ///< "pinctrl-bcm2711": does not
  uint32_t line_count;
} cgpiobank_chip_info;

/// Opens a chip by its path, "/dev/gpiochip0". -ENODEV: the path is no GPIO chip. Others: the errors of opening a device.
int cgpiobank_chip_open(const char *path, cgpiobank_chip **chip, cgpiobank_chip_info *info);

/// Closes a chip, after the banks that were requested from it.
void cgpiobank_chip_close(cgpiobank_chip *chip);

typedef struct {
  char name[CGPIOBANK_NAME_SIZE];      ///< "GPIO17"; empty where the line has no name
  char consumer[CGPIOBANK_NAME_SIZE];  ///< the user; empty without a user or a name
  bool is_used;
} cgpiobank_line_info;

/// Reads the kernel's present information about a line.
int cgpiobank_chip_line_info(cgpiobank_chip *chip, uint32_t offset, cgpiobank_line_info *info);

/// Lines that are held together, until the bank is released and its chip is closed. Bit i of a value is line i in the
/// order of the request.
typedef struct cgpiobank cgpiobank;

/// Takes `count` lines in one request: outputs with their first values, so that no line is ever at another level, or an
/// input.
///
/// A line of an open-drain bank that is set to 1 is released, and reading it then returns the level of the wire: the
/// acknowledgement of a TM1637 is read by setting its data line to 1 and calling `cgpiobank_get`.
///
/// - offsets: lines that the chip has, each once.
/// - flags: CGPIOBANK_ACTIVE_LOW and one bias; CGPIOBANK_OPEN_DRAIN or CGPIOBANK_EDGES.
/// - values: the first values of outputs.
///
/// - -E2BIG: more than CGPIOBANK_MAX_LINES.
/// - -EBUSY: a line is already used by a driver, another program or another bank.
/// - -ENODEV: the chip is gone.
/// - -ENXIO, -EINVAL: edges were requested from a chip without interrupts.
/// - -ENOMEM, -EPERM and others: the kernel's errors.
int cgpiobank_request(
    cgpiobank_chip *chip, const uint32_t *offsets, size_t count, uint32_t flags, uint64_t values, cgpiobank **bank);

void cgpiobank_release(cgpiobank *bank);

/// Sets all lines of a bank of outputs in one call. Bits past the last line are ignored. -ENODEV: the chip was removed.
int cgpiobank_set(cgpiobank *bank, uint64_t values);

/// Reads all lines in one call, also those of outputs.
int cgpiobank_get(cgpiobank *bank, uint64_t *values);

typedef struct {
  int64_t timestamp_nanoseconds;  ///< taken in the interrupt, on CLOCK_MONOTONIC
  bool is_rising;                 ///< to 1, as `cgpiobank_get` reads it (active-low lines: to the low level)
} cgpiobank_event;

/// Returns a descriptor that polls readable while events wait; the bank owns it. -1 if the bank has no events.
int cgpiobank_event_fd(const cgpiobank *bank);

/// Reads waiting events in their order, at most `capacity` and CGPIOBANK_MAX_EVENTS, without blocking; 0 if none waits.
/// Events past the kernel's buffer (16) are lost; callers that need the level read it with `cgpiobank_get`. -ENODEV: the
/// chip was removed.
int cgpiobank_read_events(cgpiobank *bank, cgpiobank_event *events, size_t capacity);
