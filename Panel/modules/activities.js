// Live Activities: a card for each, above Notification Center and on the lock screen.

import { attempt } from "./controls.js";
import { element, words } from "./elements.js";
import { appName, localTime, model } from "./model.js";
import { appMark } from "./pictures.js";
import * as session from "./session.js";
import { ago, clockSeconds, momentText } from "./words.js";

const LIMITS = {
  /** The values of an activity's content that a card shows, and the characters of each. */
  rows: 8, characters: 80,
};
const STATES = { active: null, stale: "Out of date", ended: "Ended", dismissed: "Dismissed" };

/** Returns the activities, the most relevant first; none from a daemon that has no such list. */
export const activities = () => [...(model.state.activities ?? [])].filter(({ state }) => state !== "dismissed")
  .sort((one, other) => (other.relevance ?? 0) - (one.relevance ?? 0) || one.started - other.started);

/** Returns true if a card changes with each second. */
export const isCounting = () => activities().some((activity) => countdown(activity) !== null && activity.state === "active");

export function activityCards() {
  const all = activities();
  if (all.length === 0) return null;
  return element("section", { class: "activities", "aria-label": "Live Activities" }, all.map(card));
}

function card(activity) {
  const { id, app, state, alert, display, attributesType } = activity;
  const name = appName(app);
  const rows = facts(activity.content ?? {});
  return element("article", { class: `activity activity-${state}`, "aria-label": `${name}, ${attributesType ?? "Live Activity"}` },
    element("div", { class: "activity-head" }, appMark(app, name), element("strong", { dir: "auto" }, name),
      STATES[state] ? element("span", { class: "level" }, STATES[state]) : null,
      element("time", {}, ago(activity.updated)),
      element("button", {
        type: "button", class: "clear", data: { focus: `activity ${id}` }, "aria-label": `Dismiss the Live Activity of ${name}`,
        onclick: () => attempt(() => session.remove(session.own(`/activities/${session.segment(id)}`))),
      }, "×")),
    progress(activity) ?? (display ? element("p", { class: "activity-display" }, display) : null),
    alert?.title ? words("strong", alert.title) : null, alert?.body ? words("span", alert.body) : null,
    rows.length === 0 ? null : element("dl", { class: "activity-facts" }, rows.slice(0, LIMITS.rows).map(([key, value]) =>
      [element("dt", {}, key), words("dd", value)])),
    rows.length > LIMITS.rows ? element("small", {}, `and ${rows.length - LIMITS.rows} more`) : null,
    activity.waiting ? element("small", {}, "an update waits") : null,
    state === "ended" && activity.dismissal ? element("small", {}, `goes at ${momentText(activity.dismissal)}`) : null);
}

/** Returns the simple values of the content, with their paths. */
function facts(content, path = []) {
  return Object.entries(content).flatMap(([key, value]) => {
    const place = [...path, key];
    if (value !== null && typeof value === "object") return facts(value, place);
    const text = String(value);
    return [[place.join("."), text.length > LIMITS.characters ? `${text.slice(0, LIMITS.characters - 1)}…` : text]];
  });
}

// MARK: Countdowns

/** Returns the end of the activity's countdown, in microseconds since 1970; null if it counts nothing down. What the digits
 *  show of one is its end on the uptime clock, which has more digits than any display. */
function countdown({ display }) {
  const { wallMicroseconds, uptimeMicroseconds } = model.state;
  return /^\d{9,}$/.test(display ?? "") ? wallMicroseconds + Number(display) - uptimeMicroseconds : null;
}

function progress(activity) {
  const end = countdown(activity);
  if (end === null) return null;
  const start = activity.started, now = localTime().getTime() - model.state.utcOffsetSeconds * 1000;
  const share = Math.max(0, Math.min(1, (now * 1000 - start) / Math.max(1, end - start)));
  const left = Math.max(0, Math.round(end / 1e6 - now / 1000));
  return element("div", { class: "activity-progress" },
    element("span", { class: "activity-display" }, left === 0 ? "0:00" : span(left)),
    element("progress", { max: "100", value: Math.round(share * 100), "aria-label": `Until ${clockSeconds(localTime(end))}` }));
}

/** Returns a length of time: `4:05`, `1:04:05`. */
function span(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
