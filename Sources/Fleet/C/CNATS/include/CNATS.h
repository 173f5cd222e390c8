// The calls of libnats that are used here. The library is opened when the first connection is created: it loads OpenSSL
// and starts threads, which are wasted without a fleet.

#pragma once

#include <nats/nats.h>
#include <stdbool.h>

/// Opens the library, once for the process.
/// @return NULL if it is open, else the reason.
const char *cnats_open(void);

/// The callbacks of a connection, on threads of the library. Must not block.
struct cnats_callbacks {
  natsConnectionHandler connected, lost;
  /// The library does not reconnect. No reports follow.
  natsConnectionHandler closed;
  /// An error that did not end the connection, such as a subject that is not permitted.
  natsErrHandler failed;
};

/// Returns the reason of the newest loss or error in the library's words; may be empty.
const char *cnats_why(natsConnection *connection);

struct cnats_settings {
  const char **servers;
  int server_count;
  /// The client's name in the server's reports.
  const char *name;
  /// The file of the seed, and the public key that belongs to it; NULL if the servers require none.
  const char *public_key, *seed_file;
  /// A file of certificates; NULL for the system's. Only with TLS.
  const char *authority;
  bool is_secure;
};

/// Begins to connect, and reconnects after each loss.
/// @param object passed to each callback.
/// @return NATS_OK, NATS_NOT_YET_CONNECTED, or an error.
natsStatus cnats_connect(
  natsConnection **connection, const struct cnats_settings *settings, void *object, struct cnats_callbacks callbacks);

// All of these may be called on any thread.

/// Sends at once. If the kernel's buffer is full, waits for some seconds at most.
/// @param keys and values: the message's header fields.
/// @param reply NULL for none.
natsStatus cnats_publish(
  natsConnection *connection, const char *subject, const char *reply, const char **keys, const char **values,
  int field_count, const void *payload, int length);

/// @param receive called on a thread of the library, one call after the other. Must not block, and frees the message.
natsStatus cnats_subscribe(
  natsSubscription **subscription, natsConnection *connection, const char *subject, natsMsgHandler receive,
  void *object);

void cnats_unsubscribe(natsSubscription *subscription);

/// Returns the subject of a message, until it is freed.
const char *cnats_subject(const natsMsg *message);
/// Returns the reply subject; NULL if there is none.
const char *cnats_reply(const natsMsg *message);
const void *cnats_payload(const natsMsg *message, int *length);
/// Calls `take` for each header field.
void cnats_fields(natsMsg *message, void *object, void (*take)(void *object, const char *key, const char *value));
void cnats_free(natsMsg *message);

/// Ends the connection: `closed` is reported when it has ended.
void cnats_close(natsConnection *connection);
/// Frees the connection, after `closed`.
void cnats_destroy(natsConnection *connection);

const char *cnats_text(natsStatus status);
