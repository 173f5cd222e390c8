// A bank with libgpiod 1.6. Its requests for events have one descriptor for each line; an epoll descriptor combines
// them, as in libgpiod 2.

#define _GNU_SOURCE
#include "library.h"

#ifdef GPIOD_LINE_BULK_MAX_LINES

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

const char *cgpiobank_library_version(void) { return gpiod_version_string(); }

// MARK: Chips

int library_describe(struct gpiod_chip *chip, cgpiobank_chip_info *info) {
  memset(info, 0, sizeof *info);
  copy_name(info->name, gpiod_chip_name(chip));
  copy_name(info->label, gpiod_chip_label(chip));
  info->line_count = gpiod_chip_num_lines(chip);
  return 0;
}

int library_line_info(struct gpiod_chip *chip, uint32_t offset, cgpiobank_line_info *info) {
  struct gpiod_line *line = gpiod_chip_get_line(chip, offset);
  // The chip keeps its line objects, whose information may be outdated.
  if (!line || gpiod_line_update(line) != 0) return negative_errno();
  copy_name(info->name, gpiod_line_name(line));
  copy_name(info->consumer, gpiod_line_consumer(line));
  info->is_used = gpiod_line_is_used(line);
  return 0;
}

// MARK: Requests

static int request_flags(uint32_t flags) {
  int result = 0;
  if (flags & CGPIOBANK_ACTIVE_LOW) result |= GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW;
  if (flags & CGPIOBANK_OPEN_DRAIN) result |= GPIOD_LINE_REQUEST_FLAG_OPEN_DRAIN;
  if (flags & CGPIOBANK_PULL_UP) result |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
  if (flags & CGPIOBANK_PULL_DOWN) result |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  if (flags & CGPIOBANK_BIAS_DISABLED) result |= GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  return result;
}

static void unpack(uint64_t values, uint32_t count, int levels[CGPIOBANK_MAX_LINES]) {
  for (uint32_t i = 0; i < count; i++) levels[i] = (int)(values >> i & 1);
}

/// Creates one descriptor for the events of all lines.
static int join_events(cgpiobank *bank) {
  bank->event_fd = epoll_create1(EPOLL_CLOEXEC);
  if (bank->event_fd < 0) return negative_errno();
  for (uint32_t i = 0; i < bank->count; i++) {
    struct epoll_event interest = {.events = EPOLLIN, .data.u32 = i};
    int descriptor = gpiod_line_event_get_fd(bank->bulk.lines[i]);
    if (descriptor < 0 || epoll_ctl(bank->event_fd, EPOLL_CTL_ADD, descriptor, &interest) != 0) {
      return negative_errno();
    }
  }
  return 0;
}

int library_request(cgpiobank *bank, uint64_t values) {
  gpiod_line_bulk_init(&bank->bulk);
  for (uint32_t i = 0; i < bank->count; i++) {
    struct gpiod_line *line = gpiod_chip_get_line(bank->chip, bank->offsets[i]);
    if (!line) return negative_errno();
    gpiod_line_bulk_add(&bank->bulk, line);
  }
  bool has_events = bank->flags & CGPIOBANK_EDGES;
  struct gpiod_line_request_config configuration = {
      .consumer = CGPIOBANK_CONSUMER,
      .request_type = bank->flags & CGPIOBANK_OUTPUTS ? GPIOD_LINE_REQUEST_DIRECTION_OUTPUT
                      : has_events                    ? GPIOD_LINE_REQUEST_EVENT_BOTH_EDGES
                                                      : GPIOD_LINE_REQUEST_DIRECTION_INPUT,
      .flags = request_flags(bank->flags),
  };
  int levels[CGPIOBANK_MAX_LINES];
  unpack(values, bank->count, levels);
  if (gpiod_line_request_bulk(&bank->bulk, &configuration, levels) != 0) return negative_errno();
  return has_events ? join_events(bank) : 0;
}

void library_release(cgpiobank *bank) {
  if (bank->event_fd >= 0) close(bank->event_fd);
}

// MARK: Values

int cgpiobank_set(cgpiobank *bank, uint64_t values) {
  if (!(bank->flags & CGPIOBANK_OUTPUTS)) return -EPERM;
  int levels[CGPIOBANK_MAX_LINES];
  unpack(values, bank->count, levels);
  return gpiod_line_set_value_bulk(&bank->bulk, levels) == 0 ? 0 : negative_errno();
}

int cgpiobank_get(cgpiobank *bank, uint64_t *values) {
  int levels[CGPIOBANK_MAX_LINES];
  if (gpiod_line_get_value_bulk(&bank->bulk, levels) != 0) return negative_errno();
  uint64_t result = 0;
  for (uint32_t i = 0; i < bank->count; i++) result |= (uint64_t)(levels[i] != 0) << i;
  *values = result;
  return 0;
}

// MARK: Events

/// The number of events of one line that the kernel keeps.
enum { line_buffer = 16 };

/// Inserts an event by its time stamp among the `count` events before it.
static void insert(cgpiobank_event *events, size_t count, cgpiobank_event event) {
  while (count > 0 && events[count - 1].timestamp_nanoseconds > event.timestamp_nanoseconds) {
    events[count] = events[count - 1];
    count--;
  }
  events[count] = event;
}

int cgpiobank_read_events(cgpiobank *bank, cgpiobank_event *events, size_t capacity) {
  if (bank->event_fd < 0) return -EPERM;
  if (capacity > CGPIOBANK_MAX_EVENTS) capacity = CGPIOBANK_MAX_EVENTS;
  if (capacity == 0) return 0;
  struct epoll_event ready[CGPIOBANK_MAX_LINES];
  int ready_count = epoll_wait(bank->event_fd, ready, CGPIOBANK_MAX_LINES, 0);
  if (ready_count < 0) return errno == EINTR ? 0 : negative_errno();

  size_t count = 0;
  for (int i = 0; i < ready_count && count < capacity; i++) {
    uint32_t place = ready[i].data.u32;
    // A line that hangs up without events to read has lost its chip.
    if (!(ready[i].events & EPOLLIN)) return count > 0 ? (int)count : -ENODEV;
    struct gpiod_line_event buffer[line_buffer];
    unsigned wanted = capacity - count < line_buffer ? (unsigned)(capacity - count) : line_buffer;
    int descriptor = gpiod_line_event_get_fd(bank->bulk.lines[place]);
    int read_count = gpiod_line_event_read_fd_multiple(descriptor, buffer, wanted);
    if (read_count < 0) return count > 0 ? (int)count : negative_errno();
    for (int j = 0; j < read_count; j++) {
      cgpiobank_event event = {
          .timestamp_nanoseconds = (int64_t)buffer[j].ts.tv_sec * 1000000000 + buffer[j].ts.tv_nsec,
          .line = place,
          .is_rising = buffer[j].event_type == GPIOD_LINE_EVENT_RISING_EDGE,
      };
      insert(events, count++, event);
    }
  }
  return (int)count;
}

#endif
