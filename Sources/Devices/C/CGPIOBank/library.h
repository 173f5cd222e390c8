// The parts that differ between the two libraries, and the data of a bank. Private to this target.

#pragma once

#include <gpiod.h>

#include "CGPIOBank.h"

struct cgpiobank {
  uint32_t count;
  /// Readable while events wait; -1 if the bank has none.
  int event_fd;
#ifdef GPIOD_LINE_BULK_MAX_LINES
  struct gpiod_line_bulk bulk;
#else
  struct gpiod_line_request *request;
  /// Allocated once, with the request; NULL if the bank has no events.
  struct gpiod_edge_event_buffer *buffer;
#endif
};

int library_describe(struct gpiod_chip *chip, cgpiobank_chip_info *info);

/// Requests the lines of a bank whose other members are complete; `cgpiobank_release` frees it also after a failure.
int library_request(
    cgpiobank *bank, struct gpiod_chip *chip, const uint32_t *offsets, uint32_t flags, uint64_t values);

int library_read_events(cgpiobank *bank, cgpiobank_event *events, size_t capacity);

/// Returns the errno of a failed call, as a negative number that is never 0.
int negative_errno(void);

void copy_name(char destination[CGPIOBANK_NAME_SIZE], const char *source);
