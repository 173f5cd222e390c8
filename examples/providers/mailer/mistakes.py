"""Mistakes of real providers, each of which the mailer makes on request: a test that still passes tests nothing."""

MISTAKES = {
    # Answers
    "gives-up": "a push that is answered 5xx is not sent again",
    "retries-at-once": "a push is sent again without any pause",
    "ignores-retry-after": "the pause begins with a second, even if Retry-After asks for a longer one",
    "constant-pause": "the pause does not grow from attempt to attempt",
    "new-id": "a push that is sent again has another apns-id, so it rings twice",
    "repeats-permanent": "a push that is answered 400 or 403 is sent again and again",
    "keeps-gone": "a token that is answered 410 is kept",
    "ignores-timestamp": "a token that is answered 410 is deleted even if it was registered again since",
    "wipes-table": "each token that is answered BadDeviceToken is deleted, even if all are",
    "stops-for-one": "429 for one device stops the pushes to all",
    "keeps-bad-connection": "a connection that answers only 500 is never opened anew",
    # Tokens
    "token-per-push": "each push has a provider token of its own",
    "token-for-ever": "the provider token is never renewed",
    # Connections
    "connection-per-push": "each push has a connection of its own",
    "loses-at-goaway": "pushes in flight at a GOAWAY are forgotten",
    "stays-after-goaway": "a connection that ended with GOAWAY, but was not closed, is used again",
    "loses-after-cut": "pushes whose answer was lost with the connection are forgotten",
    "waits-for-ever": "a missing answer is waited for without an end",
    "burst-first": "requests do not wait for the server's SETTINGS, and streams that it refuses are forgotten",
    "trusts-all": "the server's certificate is not verified",
    # Content
    "badge-never-falls": "a mail that was read leaves the badge as it is",
    "no-collapse": "updates of one thread have no apns-collapse-id, so each is listed",
    "updates-unpaced": "background updates are sent as they come: the handset takes three an hour",
    "urgent-updates": "background updates have priority 10",
    "no-push-type": "pushes have no apns-push-type",
}
