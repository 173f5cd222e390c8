// The functions of libnats that are used here. The library is opened when the first connection is created: it loads
// OpenSSL and starts threads, which are wasted without a fleet.

#pragma once

#include <nats/nats.h>

#define CNATS_FUNCTIONS(EACH)                                                                                        \
  EACH(natsStatus_GetText) EACH(natsOptions_Create) EACH(natsOptions_Destroy) EACH(natsMsgHeader_Keys)              \
  EACH(natsOptions_SetServers) EACH(natsOptions_SetName) EACH(natsOptions_SetSecure) EACH(natsOptions_SetTimeout)    \
  EACH(natsOptions_LoadCATrustedCertificates) EACH(natsOptions_SetNKeyFromSeed) EACH(natsOptions_SetMaxReconnect)    \
  EACH(natsOptions_SetReconnectWait) EACH(natsOptions_SetReconnectJitter) EACH(natsOptions_SetPingInterval)          \
  EACH(natsOptions_SetMaxPingsOut) EACH(natsOptions_SetSendAsap) EACH(natsOptions_SetWriteDeadline)                  \
  EACH(natsOptions_UseGlobalMessageDelivery) EACH(natsOptions_SetErrorHandler) EACH(natsOptions_SetClosedCB)         \
  EACH(natsOptions_SetDisconnectedCB) EACH(natsOptions_SetReconnectedCB) EACH(natsOptions_SetRetryOnFailedConnect)   \
  EACH(natsConnection_Connect) EACH(natsConnection_Close) EACH(natsConnection_Destroy)                               \
  EACH(natsConnection_GetLastError) EACH(natsConnection_PublishMsg) EACH(natsConnection_Subscribe)                   \
  EACH(natsSubscription_Destroy) EACH(natsMsg_Create) EACH(natsMsg_Destroy) EACH(natsMsg_GetSubject)                 \
  EACH(natsMsg_GetReply) EACH(natsMsg_GetData) EACH(natsMsg_GetDataLength) EACH(natsMsgHeader_Set)                   \
  EACH(natsMsgHeader_Get)

struct cnats {
#define CNATS_MEMBER(name) __typeof__(&name) _Nonnull name;
  CNATS_FUNCTIONS(CNATS_MEMBER)
};

/// Opens the library, once for the process.
/// @return NULL if it is open, else the reason.
const char *_Nullable cnats_open(void);

/// Returns the functions, once the library is open.
const struct cnats *_Nonnull cnats_library(void);
