// Requests to the daemon after signing in. The browser sends the cookie; the key, which only this origin can read, is sent
// with every request.

const FIELD = "Deskbell-Panel";
const PLACE = "deskbell-panel-key";
const CHOICE = "deskbell-panel-handset";
const LIMITS = {
  /** Milliseconds for an answer to a GET. Other requests may take longer. */
  reading: 30000,
};

let key = localStorage.getItem(PLACE) ?? "";
let handset = localStorage.getItem(CHOICE);
let whenSignedOut = () => {};

/** The reason why the daemon refused a request. */
export class Refusal extends Error {
  constructor(status, message, hint) {
    super(hint ? `${message}. ${capital(hint)}.` : `${message}.`);
    this.status = status;
  }
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export function onSignedOut(listener) { whenSignedOut = listener; }

async function send(method, path, body, signal) {
  let answer;
  try {
    answer = await fetch(path, {
      method, signal, credentials: "same-origin", cache: "no-store", redirect: "error",
      headers: { [FIELD]: key || "none", ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, "The daemon does not answer", "it may be stopped, or this machine offline");
  }
  if (answer.ok) return answer;
  const words = await answer.json().catch(() => ({ error: `The daemon answered ${answer.status}` }));
  if (answer.status === 401 && path !== "/session") whenSignedOut();
  throw new Refusal(answer.status, capital(words.error), words.hint);
}

async function json(method, path, body) {
  const answer = await send(method, path, body, method === "GET" ? AbortSignal.timeout(LIMITS.reading) : undefined);
  return answer.status === 204 ? null : answer.json();
}

/** Gets an answer that is not JSON. */
export const bytes = async (path) => (await send("GET", path, undefined, AbortSignal.timeout(LIMITS.reading))).arrayBuffer();

export const get = (path) => json("GET", path);
export const put = (path, body) => json("PUT", path, body);
export const post = (path, body) => json("POST", path, body);
export const remove = (path) => json("DELETE", path);

/** Encodes one segment of a path. */
export const segment = encodeURIComponent;

/** Returns the path of a resource of the handset that is shown: `/state`. */
export const own = (path) => (handset === null ? "/v1" : `/v1/handsets/${segment(handset)}`) + path;

/** Returns the name of the handset that is shown; null for the one on the board. */
export const chosen = () => handset;

/** Returns the option that a printed command needs for the handset that is shown; the one on the board needs none. */
export const option = () => (handset === null ? "" : ` --handset ${handset}`);

export function choose(name) {
  handset = name;
  if (name === null) localStorage.removeItem(CHOICE); else localStorage.setItem(CHOICE, name);
}

export const session = () => json("GET", "/session");

/** Signs in with a token or a password. */
export async function signIn(credential) {
  const answer = await json("POST", "/session", credential);
  key = answer.key;
  localStorage.setItem(PLACE, key);
}

export async function signOut() {
  await json("DELETE", "/session");
  key = "";
  localStorage.removeItem(PLACE);
}

/** Returns the token behind the address's `#`, and first removes it from the address. */
export function takeToken() {
  const match = /^#token=([\w-]{20,100})$/.exec(location.hash);
  if (match) history.replaceState(null, "", location.pathname);
  return match?.[1];
}

/** Passes every event after `sequence` to `take`, until the stream ends or `signal` aborts it. Throws the daemon's reason
 *  if it ends the stream with an error. */
export async function follow(sequence, signal, whenOpen, take) {
  const answer = await send("GET", own(`/events?after=${sequence}&follow=true`), undefined, signal);
  whenOpen();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const lines = rest.split("\n");
    rest = lines.pop();
    const events = lines.filter((line) => line !== "").map((line) => JSON.parse(line));
    const end = events.at(-1)?.error === undefined ? null : events.pop();
    if (events.length > 0) take(events);
    if (end) throw new Refusal(503, capital(end.error), end.hint);
  }
}
