// The daemon's state: it is requested again whenever events report a change, and after every time
// that the stream broke. No other part of the page requests it.

import * as session from "./session.js";

const LIMITS = {
  /** The most events that are kept and shown. */
  events: 1000,
  /** The most notifications that are shown. */
  center: 200,
  /** The first and the longest pause before another try to connect, in milliseconds. */
  pauses: [500, 15000],
};

export const model = {
  handsets: [], state: null, apps: [], center: [], conditions: {}, settings: {}, clock: null, local: [],
  /** The Focus modes; null until they are read. */
  focus: null,
  /** Topics and hooks of all handsets, and the names of the templates for hooks. */
  keys: { topic: [], hook: [], templates: [] },
  /** The events, oldest first. */
  events: [],
  /** The state of the stream: `connecting`, `live` or `lost`. */
  link: "connecting",
  /** True if everything is of the handset that was chosen last. */
  isKnown: false,
  /** The browser's clock at the moment of `state`, in milliseconds. */
  stateAt: 0,
};

const listeners = new Map();

/** Calls `listener` when any of the named parts changed, once for all that changed together. */
export function watch(parts, listener) {
  for (const part of parts) listeners.set(part, [...(listeners.get(part) ?? []), listener]);
}

function changed(...parts) {
  const called = new Set(parts.flatMap((part) => listeners.get(part) ?? []));
  for (const listener of called) {
    // A part that cannot be drawn does not stop the others; the browser's console has its error.
    try { listener(); } catch (error) { reportError(error); }
  }
}

const table = (reports) => Object.fromEntries(reports.map(({ key, value }) => [key, value]));

const READERS = {
  handsets: async () => {
    model.handsets = await session.get("/v1/handsets");
    // A removed handset is not shown any more.
    if (session.chosen() !== null && !model.handsets.some(({ name }) => name === session.chosen())) choose(null);
  },
  state: async () => {
    const before = performance.now();
    model.state = await session.get(session.own("/state"));
    model.stateAt = (before + performance.now()) / 2;
  },
  apps: async () => { model.apps = await session.get(session.own("/apps")); },
  center: async () => { model.center = await session.get(session.own(`/center?limit=${LIMITS.center}`)); },
  conditions: async () => { model.conditions = table(await session.get(session.own("/conditions"))); },
  settings: async () => { model.settings = table(await session.get(session.own("/settings"))); },
  clock: async () => { model.clock = await session.get("/v1/clock"); },
  local: async () => { model.local = await session.get(session.own("/local")); },
  focus: async () => { model.focus = await session.get(session.own("/focus")); },
  keys: async () => {
    const [topic, hook, templates] = await Promise.all(["/v1/topics", "/v1/hooks", "/v1/hook-templates"].map(session.get));
    model.keys = { topic, hook, templates };
  },
};

let reading = null;
let wanted = new Set();

/** Requests the parts again. Calls during a request are gathered into the next one. */
export function refresh(...parts) {
  for (const part of parts) wanted.add(part);
  reading ??= read().finally(() => { reading = null; });
  return reading;
}

async function read() {
  while (wanted.size > 0) {
    const parts = [...wanted];
    wanted = new Set();
    try {
      await Promise.all(parts.map((part) => READERS[part]()));
    } catch (error) {
      for (const part of parts) wanted.add(part);
      throw error;
    }
    changed(...parts);
  }
}

/** Requests the parts until they were read, because no further event would report that they are old. After the stream
 *  broke, everything is read anyway. */
function refreshInTheEnd(...parts) {
  refresh(...parts).catch(() => setTimeout(() => {
    if (model.link === "live" && wanted.size > 0) refreshInTheEnd();
  }, LIMITS.pauses[0]));
}

/** The parts that an event changes, besides the state, which all change. */
const CHANGES = {
  condition: ["conditions"], setting: ["settings", "apps", "center"],
  installed: ["apps", "local"], uninstalled: ["apps", "center", "local"], registered: ["apps"],
  unregistered: ["apps", "center", "local"], lifecycle: ["apps", "center"], "foreground-presentation": ["apps"],
  badge: ["apps"], presented: ["apps", "center"], cleared: ["apps", "center"], seen: ["center"], answered: ["center"],
  held: ["apps"], discarded: ["apps"], delivered: ["apps"], completed: ["apps"],
  scheduled: ["local"], unscheduled: ["local"], due: ["local"], started: ["clock"], "time-zone": ["clock"], focus: ["focus"],
};

/** Reads everything after signing in, then follows the events. The returned function ends that. */
export function start(failed) {
  const ending = new AbortController();
  run(ending.signal, failed);
  return () => ending.abort();
}

async function run(signal, failed) {
  let pause = LIMITS.pauses[0];
  const wake = () => whenAwake?.();
  let whenAwake = null;
  addEventListener("online", wake, { signal });
  document.addEventListener("visibilitychange", wake, { signal });
  while (!signal.aborted) {
    try {
      await refresh("handsets");
      // The state is read first and names the newest event, so every other part is at least as new.
      await refresh("state");
      if (signal.aborted) return;
      const newest = model.state.lastEvent;
      if (firstKnown === Infinity) firstKnown = newest;
      shown = newest;
      const known = model.events.at(-1)?.sequence;
      // The numbers of another daemon, or of another state directory, begin anew.
      if (known > newest) model.events = [];
      await refresh("apps", "center", "conditions", "settings", "clock", "local", "keys");
      if (signal.aborted) return;
      if (!model.isKnown) {
        model.isKnown = true;
        changed("known");
      }
      const from = model.events.at(-1)?.sequence ?? Math.max(0, newest - LIMITS.events);
      await session.follow(from, signal, () => { setLink("live"); pause = LIMITS.pauses[0]; }, take);
    } catch (error) {
      if (signal.aborted || error.status === 401) return;
      if (error.status > 0) failed(error);
    }
    if (signal.aborted) return;
    setLink("lost");
    await new Promise((resolve) => { whenAwake = resolve; setTimeout(resolve, pause); });
    whenAwake = null;
    pause = Math.min(pause * 2, LIMITS.pauses[1]);
  }
}

function setLink(link) {
  if (model.link === link) return;
  model.link = link;
  changed("link");
}

let newestOnce = 0;
/** The last event that all parts include: they are read after the state that names it. A later state cannot replace it,
 *  because it may include an event that a part read beside it does not. */
let shown = 0;

function take(events) {
  model.events.push(...events);
  if (model.events.length > LIMITS.events) model.events.splice(0, model.events.length - LIMITS.events);
  const parts = new Set();
  for (const event of events.filter((event) => event.sequence > shown)) {
    parts.add("state");
    for (const part of CHANGES[event.event] ?? []) parts.add(part);
  }
  const fresh = events.filter((event) => event.sequence > newestOnce);
  newestOnce = Math.max(newestOnce, events.at(-1).sequence);
  model.fresh = fresh.filter((event) => event.sequence > firstKnown);
  changed("events");
  if (parts.size > 0) refreshInTheEnd(...parts);
}

/** The last event before the page was opened, or the handset chosen. */
let firstKnown = Infinity;

/** Shows another handset, or with null the one on the board. The caller then calls `start`. */
export function choose(name) {
  session.choose(name);
  model.events = model.fresh = [];
  newestOnce = shown = 0;
  firstKnown = Infinity;
  model.isKnown = false;
  changed("chosen", "known", "events");
}

/** Returns the name of the handset that is shown. */
export const shownHandset = () => session.chosen() ?? model.handsets.find(({ isOnBoard }) => isOnBoard)?.name;

/** Returns the handset's uptime now, in microseconds: it goes on between two reports, unless its clock is a virtual one. */
export function uptime() {
  const { state, clock, stateAt } = model;
  const passed = clock?.clock === "virtual" ? 0 : (performance.now() - stateAt) * 1000;
  return state.uptimeMicroseconds + passed;
}

/** Returns the handset's wall clock now, as a Date whose UTC fields are its local ones. */
export function localTime(wallMicroseconds = null) {
  const { state, clock, stateAt } = model;
  const passed = clock?.clock === "virtual" ? 0 : performance.now() - stateAt;
  const wall = wallMicroseconds === null ? state.wallMicroseconds / 1000 + passed : wallMicroseconds / 1000;
  return new Date(wall + state.utcOffsetSeconds * 1000);
}

export const appName = (id) => model.apps.find((app) => app.id === id)?.name ?? id;
