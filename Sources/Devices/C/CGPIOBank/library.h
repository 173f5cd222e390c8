// The parts that differ between the two libraries, and the common data of chips and banks. Private to this target.

#pragma once

#include <gpiod.h>

#include "CGPIOBank.h"

struct cgpiobank_chip {
  struct gpiod_chip *handle;
  cgpiobank_chip_info info;
};

struct cgpiobank {
  /// The bank's own chip object, so that the bank neither outlives it nor shares it with another thread.
  struct gpiod_chip *chip;
  uint32_t offsets[CGPIOBANK_MAX_LINES];
  uint32_t count;
  /// The flags of the request.
  uint32_t flags;
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

/// Fills in all members except the path.
int library_describe(struct gpiod_chip *chip, cgpiobank_chip_info *info);
int library_line_info(struct gpiod_chip *chip, uint32_t offset, cgpiobank_line_info *info);

/// Requests the lines of a bank whose other members are complete.
int library_request(cgpiobank *bank, uint64_t values);
/// Releases the resources of `library_request`, also after its failure.
void library_release(cgpiobank *bank);

/// Reads events that wait.
int library_read_events(cgpiobank *bank, cgpiobank_event *events, size_t capacity);

/// Returns the errno of a failed call, as a negative number that is never 0.
int negative_errno(void);

void copy_name(char destination[CGPIOBANK_NAME_SIZE], const char *source);
