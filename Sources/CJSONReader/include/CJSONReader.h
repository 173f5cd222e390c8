// A C interface over simdjson: one call reads a JSON object into a flat list of values. The list and all text in it
// belong to the calling thread and are valid until that thread reads the next object.

#ifndef CJSON_READER_H
#define CJSON_READER_H

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

// One value. What an array or object contains follows it directly, in the order of the text.
struct json_value {
  uint8_t kind;
  // How many values it is, with all that it contains: so far behind it is the next.
  uint32_t size;
  // The name, where this is a member of an object. UTF-8 without escapes, not terminated.
  uint32_t key_length;
  // A string: UTF-8 without escapes. A number: its characters as they were written. Not terminated.
  uint32_t text_length;
  const char *key;
  const char *text;
};

enum json_problem {
  JSON_OK,
  JSON_NOT_UTF8,
  // Not an object at the top.
  JSON_NOT_OBJECT,
  JSON_TOO_DEEP,
  // Against the grammar of RFC 8259.
  JSON_MALFORMED,
  JSON_NO_MEMORY,
};

struct json_reading {
  // JSON_OK, or why there are no values.
  enum json_problem problem;
  // The top object is the first.
  const struct json_value *values;
  uint32_t count;
};

// Reads `length` bytes, which need no padding and no terminator. `depth` bounds how deep arrays and objects may be
// nested; the top object is level 1. Allocates on a thread's first call, and if a text is longer than all before it. What was
// allocated for a long one is freed at the next short one.
struct json_reading json_read(const uint8_t *bytes, size_t length, uint32_t depth);

#ifdef __cplusplus
}
#endif

#endif
