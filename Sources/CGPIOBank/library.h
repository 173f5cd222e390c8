// What differs between the two libraries, and what both share of a chip and a bank. Private to this target.

#ifndef CGPIOBANK_LIBRARY_H
#define CGPIOBANK_LIBRARY_H

#include <gpiod.h>

#include "CGPIOBank.h"

struct cgpiobank_chip {
  struct gpiod_chip *handle;
  cgpiobank_chip_info info;
};

struct cgpiobank {
  /// Of the bank alone, so that it neither outlives its chip nor shares it with another thread.
  struct gpiod_chip *chip;
  uint32_t offsets[CGPIOBANK_MAX_LINES];
  uint32_t count;
  /// As requested.
  uint32_t flags;
  /// Readable while events wait; -1 where the bank has none.
  int event_fd;
#ifdef GPIOD_LINE_BULK_MAX_LINES
  struct gpiod_line_bulk bulk;
#else
  struct gpiod_line_request *request;
  /// Allocated once, with the request; NULL where the bank has no events.
  struct gpiod_edge_event_buffer *buffer;
#endif
};

/// Fills in all but the path.
int library_describe(struct gpiod_chip *chip, cgpiobank_chip_info *info);
int library_line_info(struct gpiod_chip *chip, uint32_t offset, cgpiobank_line_info *info);

/// Takes the lines of a bank that is complete but for its last members.
int library_request(cgpiobank *bank, uint64_t values);
/// Lets go of what `library_request` took, also where it failed.
void library_release(cgpiobank *bank);

/// The errno of a call that failed, as a negative number that is never 0.
int negative_errno(void);

void copy_name(char destination[CGPIOBANK_NAME_SIZE], const char *source);

#endif
