// The calls of libnats that are made here. The library is opened when the first connection is made: it brings OpenSSL and
// threads, for which only those should pay who belong to a fleet.

#ifndef CNATS_H
#define CNATS_H

#include <nats/nats.h>
#include <stdbool.h>

/// Opens the library, once for the process.
/// @return NULL where it is there, else why not.
const char *cnats_open(void);

/// What a connection reports, on threads of the library. Must not block.
struct cnats_callbacks {
  void (*connected)(void *object);
  /// @param why in the library's words; may be empty.
  void (*lost)(void *object, const char *why);
  /// It does not try again. No reports follow.
  void (*closed)(void *object, const char *why);
  /// Something went wrong without ending it, such as a subject that is not permitted.
  void (*failed)(void *object, const char *why);
};

struct cnats_settings {
  const char **servers;
  int server_count;
  /// What the server calls the client in its reports.
  const char *name;
  /// The file of the seed, and the public key that belongs to it; NULL where the servers ask for none.
  const char *public_key, *seed_file;
  /// A file of certificates; NULL for the system's. Only with TLS.
  const char *authority;
  bool is_secure;
};

/// Begins to connect, and does so again after each loss.
/// @param object given to each callback.
/// @return NATS_OK, NATS_NOT_YET_CONNECTED, or why it cannot.
natsStatus cnats_connect(
  natsConnection **connection, const struct cnats_settings *settings, void *object, struct cnats_callbacks callbacks);

// All of these may be called on any thread.

/// Sends at once. Waits where the kernel's buffer is full, no longer than some seconds.
/// @param keys and values: the message's header fields.
/// @param reply NULL for none.
natsStatus cnats_publish(
  natsConnection *connection, const char *subject, const char *reply, const char **keys, const char **values,
  int field_count, const void *payload, int length);

/// @param receive called on a thread of the library, one call after the other. Must not block.
natsStatus cnats_subscribe(
  natsSubscription **subscription, natsConnection *connection, const char *subject,
  void (*receive)(void *object, natsMsg *message), void *object);

void cnats_unsubscribe(natsSubscription *subscription);

/// Of a message, within the call that received it.
const char *cnats_subject(const natsMsg *message);
/// NULL where there is none.
const char *cnats_reply(const natsMsg *message);
const void *cnats_payload(const natsMsg *message, int *length);
/// Calls `take` for each header field.
void cnats_fields(natsMsg *message, void *object, void (*take)(void *object, const char *key, const char *value));

/// Ends it: `closed` is reported when it has.
void cnats_close(natsConnection *connection);
/// After `closed`.
void cnats_destroy(natsConnection *connection);

const char *cnats_text(natsStatus status);
#endif
