// The only file that includes simdjson's header. It is compiled without exceptions and RTTI: simdjson reports errors as
// codes, all memory is asked for without throwing, and `noexcept` ends the process rather than let anything escape.
//
// simdjson's On-Demand reader checks what it is asked for, so every value of the text is visited. Numbers are checked
// here and handed on as text: simdjson refuses those beyond its own number types, which JSON does not.

#include "include/CJSONReader.h"

#include <simdjson.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using namespace simdjson;

// Most texts are shorter.
constexpr size_t kept_length = 16 * 1024;

// A copy of a text with the padding that simdjson reads beyond the end, its values, and simdjson's own buffers.
struct reader {
  ondemand::parser parser;
  char *text = nullptr;
  size_t text_capacity = 0;
  json_value *values = nullptr;
  uint32_t values_capacity = 0;
  uint32_t count = 0;

  ~reader() { release(); }

  void release() noexcept {
    std::free(text);
    std::free(values);
    text = nullptr;
    values = nullptr;
    text_capacity = 0;
    parser = ondemand::parser();
  }

  bool reserve(size_t length) noexcept {
    if (length <= text_capacity) return true;
    // A value takes a character and what separates it from the next.
    const size_t most_values = length / 2 + 1;
    if (most_values > UINT32_MAX) return false;
    char *new_text = static_cast<char *>(std::realloc(text, length + SIMDJSON_PADDING));
    if (new_text == nullptr) return false;
    text = new_text;
    auto *new_values = static_cast<json_value *>(std::realloc(values, most_values * sizeof(json_value)));
    if (new_values == nullptr) return false;
    values = new_values;
    if (parser.allocate(length) != SUCCESS) return false;
    values_capacity = static_cast<uint32_t>(most_values);
    text_capacity = length;
    return true;
  }

  json_problem read(const uint8_t *bytes, size_t length, uint32_t depth) noexcept;
  json_problem read_object(ondemand::object object, uint32_t depth) noexcept;
  json_problem read_array(ondemand::array array, uint32_t depth) noexcept;
  json_problem read_value(ondemand::value value, std::string_view key, uint32_t depth) noexcept;
};

json_problem problem_of(error_code error) noexcept {
  switch (error) {
  case UTF8_ERROR: return JSON_NOT_UTF8;
  case MEMALLOC: return JSON_NO_MEMORY;
  default: return JSON_MALFORMED;
  }
}

bool is_space(char character) noexcept {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

// [RFC 8259, 6]: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
bool is_number(std::string_view text) noexcept {
  const char *at = text.data();
  const char *const end = at + text.size();
  const auto digits = [&]() noexcept {
    const char *const start = at;
    while (at != end && *at >= '0' && *at <= '9') at++;
    return at != start;
  };
  if (at != end && *at == '-') at++;
  if (at != end && *at == '0') {
    at++;
  } else if (!digits()) {
    return false;
  }
  if (at != end && *at == '.') {
    at++;
    if (!digits()) return false;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at != end && (*at == '+' || *at == '-')) at++;
    if (!digits()) return false;
  }
  return at == end;
}

json_problem reader::read_value(ondemand::value value, std::string_view key, uint32_t depth) noexcept {
  // `reserve` allocated as many values as such a text can have.
  if (count == values_capacity) return JSON_MALFORMED;
  const uint32_t start = count++;
  json_value &written = values[start];
  written = {JSON_NULL, 1, static_cast<uint32_t>(key.size()), 0, key.data(), nullptr};
  ondemand::json_type type;
  if (auto error = value.type().get(type)) return problem_of(error);
  switch (type) {
  case ondemand::json_type::object: {
    if (depth == 0) return JSON_TOO_DEEP;
    written.kind = JSON_OBJECT;
    ondemand::object object;
    if (auto error = value.get_object().get(object)) return problem_of(error);
    if (auto problem = read_object(object, depth - 1)) return problem;
    break;
  }
  case ondemand::json_type::array: {
    if (depth == 0) return JSON_TOO_DEEP;
    written.kind = JSON_ARRAY;
    ondemand::array array;
    if (auto error = value.get_array().get(array)) return problem_of(error);
    if (auto problem = read_array(array, depth - 1)) return problem;
    break;
  }
  case ondemand::json_type::string: {
    std::string_view text;
    if (auto error = value.get_string().get(text)) return problem_of(error);
    written.kind = JSON_STRING;
    written.text = text.data();
    written.text_length = static_cast<uint32_t>(text.size());
    break;
  }
  default: {
    // Up to whatever comes next, white space included.
    std::string_view token = value.raw_json_token();
    while (!token.empty() && is_space(token.back())) token.remove_suffix(1);
    if (token == "null") {
      written.kind = JSON_NULL;
    } else if (token == "true") {
      written.kind = JSON_TRUE;
    } else if (token == "false") {
      written.kind = JSON_FALSE;
    } else if (is_number(token)) {
      written.kind = JSON_NUMBER;
      written.text = token.data();
      written.text_length = static_cast<uint32_t>(token.size());
    } else {
      return JSON_MALFORMED;
    }
    break;
  }
  }
  written.size = count - start;
  return JSON_OK;
}

json_problem reader::read_object(ondemand::object object, uint32_t depth) noexcept {
  for (auto result : object) {
    ondemand::field field;
    if (auto error = std::move(result).get(field)) return problem_of(error);
    std::string_view key;
    if (auto error = field.unescaped_key().get(key)) return problem_of(error);
    if (auto problem = read_value(field.value(), key, depth)) return problem;
  }
  return JSON_OK;
}

json_problem reader::read_array(ondemand::array array, uint32_t depth) noexcept {
  for (auto result : array) {
    ondemand::value value;
    if (auto error = std::move(result).get(value)) return problem_of(error);
    if (auto problem = read_value(value, std::string_view(), depth)) return problem;
  }
  return JSON_OK;
}

json_problem reader::read(const uint8_t *bytes, size_t length, uint32_t depth) noexcept {
  count = 0;
  if (length == 0) return JSON_MALFORMED;
  // Some versions of simdjson step over a byte order mark; it is no part of JSON on the network [RFC 8259, 8.1].
  if (length >= 3 && std::memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) return JSON_MALFORMED;
  if (!reserve(length)) return JSON_NO_MEMORY;
  std::memcpy(text, bytes, length);
  std::memset(text + length, 0, SIMDJSON_PADDING);
  ondemand::document document;
  if (auto error = parser.iterate(text, length, length + SIMDJSON_PADDING).get(document)) return problem_of(error);
  ondemand::json_type type;
  if (auto error = document.type().get(type)) return problem_of(error);
  if (type != ondemand::json_type::object) return JSON_NOT_OBJECT;
  if (depth == 0) return JSON_TOO_DEEP;
  ondemand::object object;
  if (auto error = document.get_object().get(object)) return problem_of(error);
  values[count++] = {JSON_OBJECT, 1, 0, 0, nullptr, nullptr};
  json_problem problem = read_object(object, depth - 1);
  values[0].size = count;
  // At the end of the text there is no location.
  if (problem == JSON_OK && document.current_location().error() != OUT_OF_BOUNDS) return JSON_MALFORMED;
  return problem;
}

}  // namespace

// An event loop is a thread, so a reader is made for each of them at most, and none for a connection.
extern "C" json_reading json_read(const uint8_t *bytes, size_t length, uint32_t depth) {
  static thread_local reader own;
  // The values of a long text may take sixteen times its length.
  if (length <= kept_length && own.text_capacity > kept_length) own.release();
  const json_problem problem = own.read(bytes, length, depth);
  return {problem, problem == JSON_OK ? own.values : nullptr};
}
