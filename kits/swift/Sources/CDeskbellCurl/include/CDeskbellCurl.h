// The functions of libcurl that take any number of arguments, which Swift cannot call, each for one type of argument.
#ifndef CDESKBELLCURL_H
#define CDESKBELLCURL_H

#include <curl/curl.h>

static inline CURLcode deskbell_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode deskbell_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

// The fields stay the caller's.
static inline CURLcode deskbell_curl_set_fields(CURL *handle, struct curl_slist *fields) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, fields);
}

// `write` gets the bytes of the answer, the number 1, how many bytes there are, and `context`. It returns how many it
// took: fewer end the exchange.
static inline CURLcode deskbell_curl_set_writer(
    CURL *handle, size_t (*write)(char *, size_t, size_t, void *), void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}

// The status of the answer; 0 before there is one.
static inline long deskbell_curl_status(CURL *handle) {
  long status = 0;
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

#endif
