// Events, settings and times in a person's words.

import { localTime } from "./model.js";
import { APP_SETTINGS, CONDITIONS, EVENTS, HANDSET_SETTINGS } from "./tables.js";

const two = (number) => String(number).padStart(2, "0");

/** Returns the time of a Date whose UTC fields are local: `14:05`. */
export const clockText = (date) => `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
export const clockSeconds = (date) => `${clockText(date)}:${two(date.getUTCSeconds())}`;
export const dateText = (date) =>
  new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" }).format(date);

/** Returns a time of day, with its date unless it is today. */
export function momentText(time) {
  const date = localTime(time);
  return dateText(date) === dateText(localTime()) ? clockText(date) : `${clockText(date)}, ${dateText(date)}`;
}

/** Returns the time since then: `now`, `4 min`, `2 h`, `3 d`. */
export function ago(wallMicroseconds) {
  const seconds = (localTime() - localTime(wallMicroseconds)) / 1000;
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

/** Returns a word of the daemon as a title: `time-sensitive` is "Time sensitive". */
const titled = (word) => word.charAt(0).toUpperCase() + word.slice(1).replaceAll("-", " ");

/** The events of each group of the filter. */
export const GROUPS = {
  Pushes: ["accepted", "refused", "ignored", "duplicate", "reused-id", "bad-badge", "kept", "arrived", "fetched", "deferred", "extended", "node-created", "node-deleted"],
  Notifications: ["presented", "not-presented", "badge", "answered", "responded", "selected", "seen", "cleared", "alert-dropped", "activity", "scheduled", "unscheduled", "due", "repeated", "repeat-ended", "snoozed", "snooze-ended", "call-queued", "called", "call-failed", "call-ended"],
  "Background updates": ["held", "discarded", "delivered", "completed", "timed-out", "reload"],
  Board: ["lamp", "display", "sound-started", "sound-ended", "button", "device-lost", "device-back", "fault-struck"],
  "Apps and settings": ["installed", "uninstalled", "registered", "unregistered", "lifecycle", "setting", "condition", "focus", "foreground-presentation", "started", "time-zone"],
};

const ungrouped = EVENTS.filter((name) => name !== "unreadable" && !Object.values(GROUPS).flat().includes(name));
if (ungrouped.length > 0) GROUPS.Others = ungrouped;

const BAD = new Set(["refused", "bad-badge", "ignored", "device-lost", "timed-out", "discarded", "call-failed"]);
const GOOD = new Set(["presented", "badge", "delivered", "completed"]);

/** Returns the tone of an event: `bad`, `good` or `plain`. */
export const tone = (event) => (BAD.has(event.event) ? "bad" : GOOD.has(event.event) ? "good" : "plain");

const LIFECYCLES = { foreground: "is open", background: "is in the background", notRunning: "is not running", forceQuit: "was force-quit" };
export const lifecycleText = (state) => LIFECYCLES[state] ?? state;

const listText = (list) => (list?.length ? list.join(", ") : "nothing");

/** The action that opens a notification. */
const OPEN = "com.apple.UNNotificationDefaultActionIdentifier";

const SENTENCES = {
  started: (e) => (e.after === "board" ? "the board booted" : "the daemon started"),
  installed: () => "installed",
  uninstalled: () => "uninstalled",
  registered: (e) => `registered for ${listText(e.kinds)}`,
  unregistered: () => "unregistered",
  "node-created": (e) => `publishing node ${e.node} created`,
  "node-deleted": (e) => `publishing node ${e.node} deleted`,
  lifecycle: (e) => lifecycleText(e.state),
  setting: (e) => `${e.key} is ${e.value}`,
  condition: (e) => `${e.condition} is ${e.on ? "on" : "off"}`,
  accepted: (e) => `a push came (${e.type})`,
  refused: (e) => `refused${e.status ? ` with ${e.status}` : ""}: ${e.reason}${e.detail ? `, ${e.detail}` : ""}`,
  ignored: (e) => `${e.path} was ignored: ${e.problem}`,
  duplicate: () => "the same push again: it counts once",
  "reused-id": () => "a new push under an identifier that another had within the hour",
  "bad-badge": (e) => `${e.value} is no badge`,
  presented: (e) => [
    e.style === "none" ? (e.listed ? "listed" : "presented") : e.style,
    e.style !== "none" && e.listed ? "listed" : null, e.sound && !e.silenced ? `sound ${e.sound}` : null,
    e.vibration ? `vibration ${e.vibration}` : null, e.silenced ? `no sound: ${e.text}` : null,
  ].filter(Boolean).join(", "),
  "not-presented": (e) => `not presented: ${e.text}`,
  badge: (e) => (e.number === 0 ? "badge cleared" : `badge ${e.number}`),
  answered: (e) => `the alert's button ${e.button} was pressed`,
  responded: (e) => (e.action === OPEN ? "the notification was opened" : `its action ${e.action} was chosen${e.text ? ", with a text" : ""}`),
  selected: (e) => (e.action === OPEN ? "View is selected" : `${e.action} is selected`),
  button: (e) => `button ${e.button}, ${e.press}`,
  seen: (e) => `${e.count} seen`,
  "alert-dropped": (e) => `an alert was removed from the screen${e.text ? `: ${e.text}` : ""}`,
  cleared: (e) => `${e.count} cleared: ${e.text}`,
  kept: (e) => `kept: ${e.text}`,
  arrived: () => "arrived",
  fetched: (e) => `${e.count} ${e.count === 1 ? "push" : "pushes"} fetched: ${e.text}`,
  deferred: (e) => `deferred${e.untilWallMicroseconds ? ` until ${momentText(e.untilWallMicroseconds)}` : ""}: ${e.text}`,
  extended: (e) => `the app's service extension ended: ${e.result}${e.detail ? `, ${e.detail}` : ""}`,
  activity: (e) => (e.token ? "the Live Activity has a token" : `the Live Activity is ${e.state}${e.text ? `: ${e.text}` : ""}`),
  reload: (e) => `the app's ${e.type} are to be loaded again`,
  focus: (e) => `Focus ${e.mode} ${e.state}`,
  held: (e) => `held: ${e.text}`,
  discarded: (e) => `discarded: ${e.text}`,
  delivered: (e) => `given to the app, which ${lifecycleText(e.state)}`,
  completed: (e) => `the app is done: ${e.result}${e.detail ? `, ${e.detail}` : ""}`,
  "timed-out": (e) => e.text,
  "time-zone": (e) => `time zone ${e.name}`,
  "foreground-presentation": (e) => `while it is open, ${listText(e.kinds)} is presented`,
  scheduled: (e) => `${e.identifier} scheduled`,
  unscheduled: (e) => `${e.identifier} will not come: ${e.text}`,
  due: (e) => `${e.identifier} is due`,
  repeated: (e) => [
    e.time ? `sounded again, ${e.time} of ${e.times}` : "sounded again", e.silenced ? `no sound: ${e.text}` : null,
    e.others ? `and ${e.others} others with it` : null,
  ].filter(Boolean).join(", "),
  "repeat-ended": (e) => `sounds no more: ${e.text}`,
  snoozed: (e) => `snoozed until ${clockText(localTime(e.untilWallMicroseconds))}`,
  "snooze-ended": (e) => `the snooze is over: ${e.text}`,
  "call-queued": (e) => `the app's receiver will be told: ${e.answer}`,
  called: (e) => `the app's receiver answered ${e.status}${e.attempts > 1 ? `, after ${e.attempts} calls` : ""}`,
  "call-failed": (e) => `the app's receiver was not reached: ${e.problem}`,
  "call-ended": (e) => `${e.count} ${e.count === 1 ? "call" : "calls"} given up: ${e.text}`,
  lamp: (e) => (e.lit ? "lamp lit" : "lamp dark"),
  display: (e) => (e.overflow ? `display ${e.text.trim()}, the number is larger` : e.text.trim() ? `display ${e.text.trim()}` : "display dark"),
  "sound-started": (e) => `sound ${e.name}`,
  "sound-ended": (e) => `sound ${e.name} ended: ${e.detail ?? e.reason}`,
  "device-lost": (e) => e.problem,
  "device-back": (e) => `${e.device} works again`,
  "fault-struck": (e) => e.fault,
};

const OWN = new Set(["sequence", "uptimeMicroseconds", "wallMicroseconds", "event", "app", "push"]);

/** Returns the event in words, without its time and app. */
export function sentence(event) {
  const known = SENTENCES[event.event];
  if (known) return known(event);
  const fields = Object.entries(event).filter(([key]) => !OWN.has(key)).map(([key, value]) => `${key} ${value}`);
  return [event.event, ...fields].join(", ");
}

const LABELS = {
  badge: "Badge on the icon", sound: "Sounds", alert: "Messages", "show-in-notification-center": "Notification Center",
  "time-sensitive": "Time-sensitive ones pass quiet hours", critical: "Critical ones pass silence and quiet hours",
  volume: "Volume of its sounds", repeat: "Sounds again until seen", "repeat-every": "Sounds again every",
  "repeat-times": "Times at most", "show-previews": "Show messages", snooze: "A snooze lasts",
  "badge-shows": "Counts on the display", "fetch-mode": "Pushes are fetched", "fetch-interval": "Interval",
  "live-activities": "Live Activities", "frequent-updates": "Frequent updates of Live Activities",
  "clear-on-launch": "Opening it clears its notifications", summary: "In the scheduled summary",
  "night-hours": "Night hours: the display is dimmed",
};

/** Labels of settings of the handset that mean something else than an app's of the same key. */
const HANDSET_LABELS = {
  volume: "Volume of all sounds", "night-volume": "Another volume in night hours", "badge-shows": "The display shows",
  lamp: "Lamp while nothing is unseen", summary: "Scheduled summary",
};

const HELP = { notifications: "While off, nothing is presented" };

/** Words for values that do not explain themselves. */
const VALUES = {
  repeat: { off: "Never", asked: "When the push asks", urgent: "Urgent ones too", all: "Always" },
  lamp: { own: "As the app says", off: "Dark", sos: "SOS" },
  "badge-shows": { sent: "The badge that was sent", unseen: "How many are unseen" },
  "fetch-mode": { push: "As they come", fetch: "At an interval", manual: "By hand" },
};

/** Returns a setting's label, its values with their words, and its help; no values unless it is a choice of words. */
function setting(key, labels, values) {
  const isChoice = values.length > 1 && !values.includes("on") && values.every((value) => /^[\w-]+$/.test(value));
  const options = isChoice ? Object.fromEntries(values.map((value) => [value, VALUES[key]?.[value] ?? titled(value)])) : null;
  return { label: labels[key] ?? LABELS[key] ?? titled(key), options, help: HELP[key] ?? null };
}

export const appSetting = (key) => setting(key, {}, APP_SETTINGS[key] ?? []);
export const handsetSetting = (key) => setting(key, HANDSET_LABELS, HANDSET_SETTINGS[key] ?? []);

/** Returns the label of a condition, and its meaning without the numbers of its rules. */
export const condition = (key) => ({ label: titled(key), help: CONDITIONS[key]?.replace(/ \([A-Z]+\d+(, [A-Z]+\d+)*\)\.$/, "") ?? null });
