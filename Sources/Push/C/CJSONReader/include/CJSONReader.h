// A C interface over simdjson: one call reads a JSON object into a flat list of values. The list and all text in it
// belong to the calling thread and are valid until that thread reads the next object.

#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum json_kind {
  JSON_NULL,
  JSON_FALSE,
  JSON_TRUE,
  JSON_NUMBER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT,
};

// A value. The content of an array or object follows it directly, in the order of the text.
struct json_value {
  uint8_t kind;
  // The number of values including all content: the distance to the next value.
  uint32_t size;
  // The length of the name of an object's member. The name is UTF-8 without escapes, not terminated.
  uint32_t key_length;
  // The length of the text: a string in UTF-8 without escapes, or a number as written. Not terminated.
  uint32_t text_length;
  const char *key;
  const char *text;
};

enum json_problem {
  JSON_OK,
  JSON_NOT_UTF8,
  // The top value is not an object.
  JSON_NOT_OBJECT,
  JSON_TOO_DEEP,
  // The text violates the grammar of RFC 8259.
  JSON_MALFORMED,
  JSON_NO_MEMORY,
};

struct json_reading {
  // JSON_OK, or the reason why there are no values.
  enum json_problem problem;
  // The values; the first is the top object, whose size is the number of all.
  const struct json_value *values;
};

// Reads `length` bytes, which need no padding and no terminator. `depth` limits the nesting of arrays and objects; the
// top object is level 1. Allocates on a thread's first call, and if a text is longer than all before it. The memory for
// a long text is freed at the next short one.
struct json_reading json_read(const uint8_t *bytes, size_t length, uint32_t depth);

#ifdef __cplusplus
}
#endif
