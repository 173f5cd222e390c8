// The handset's screen: icons with their badges, Notification Center in sections, a banner that goes by itself, an alert
// that stays. What can be pressed here is what a person could press.

import { attempt, button } from "./controls.js";
import { byID, element, icon, show } from "./elements.js";
import { localTime, model, refresh, uptime, watch } from "./model.js";
import * as session from "./session.js";
import { ago, clockText, dateText } from "./words.js";

let bannerTimer, clockTimer, glass, status, screen, overlay;

export function make() {
  status = element("div", { class: "status" });
  screen = element("div", { class: "screen", tabindex: "0", role: "region", "aria-label": "Screen" });
  overlay = element("div", { class: "overlay" });
  glass = element("div", { class: "glass" }, status, screen, overlay);
  byID("phone").replaceChildren(glass);
  watch(["state", "apps", "center", "conditions", "clock"], draw);
}

/** The same colour for the same app, everywhere. */
export function appMark(id, name) {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + character.codePointAt(0)) % 360;
  return element("span", { class: `app-mark hue-${Math.floor(sum / 30)}`, "aria-hidden": "true" }, name.charAt(0).toUpperCase());
}

function draw() {
  if (!model.state || !model.clock) return;
  const { conditions, state } = model;
  const { banner, alert, alertsBelow } = state.presentation;
  const isLocked = conditions.locked === "on";
  const open = model.apps.find((app) => app.lifecycle === "foreground");
  const minute = Math.floor(localTime() / 60000);
  glass.classList.toggle("is-locked", isLocked);
  // What an alert covers cannot be reached by a keyboard either.
  screen.inert = Boolean(alert);
  show(status, [conditions, state.quietHours, minute], () => marks(isLocked));
  const icons = model.apps.map(({ id, name, visibleBadge, lifecycle }) => [id, name, visibleBadge, lifecycle]);
  show(screen, [isLocked, icons, model.center, minute], () => [isLocked ? lockScreen() : open ? openApp(open) : home(), center()]);
  // What is there already does not come in a second time.
  show(overlay, [banner?.id, banner, alert, alertsBelow], () => alert ? alertPlace(alert, alertsBelow) : banner ? bannerOf(banner) : []);
  clearTimeout(bannerTimer);
  if (banner && model.clock.clock !== "virtual") {
    const left = (state.presentation.bannerUntilUptimeMicroseconds - uptime()) / 1000;
    bannerTimer = setTimeout(() => { state.presentation.banner = null; draw(); }, Math.max(0, left));
  }
  clearTimeout(clockTimer);
  if (model.clock.clock !== "virtual") clockTimer = setTimeout(tick, 60000 - (localTime() % 60000) + 20);
}

/** Some things change with the time alone, without an event: hours that begin, and clocks that go forward. */
function tick() {
  const time = clockText(localTime());
  const edges = ["quiet-hours", "night-hours"].flatMap((key) => model.settings[key]?.split("-") ?? []);
  if (edges.includes(time) || time.endsWith(":00")) refresh("state").catch(() => {});
  draw();
}

function marks(isLocked) {
  const { conditions, state } = model;
  return [
    element("span", { class: "status-time" }, isLocked ? "" : clockText(localTime())),
    element("span", { class: "status-marks" },
      state.quietHours ? icon("quiet", "Quiet hours") : null,
      conditions.silent === "on" ? icon("silent", "Silent") : null,
      conditions.offline === "on" ? icon("offline", "Offline") : null,
      conditions["low-power"] === "on" ? icon("low-power", "Low power") : null,
      isLocked ? icon("locked", "Locked") : null),
  ];
}

function lockScreen() {
  return element("div", { class: "lock" },
    element("p", { class: "lock-time" }, clockText(localTime())),
    element("p", { class: "lock-date" }, dateText(localTime())));
}

function home() {
  if (model.apps.length === 0) {
    return element("div", { class: "no-apps" }, element("p", {}, "No app is installed yet."),
      element("pre", { class: "line" }, element("code", {}, "deskbell app install examples/mailroom")));
  }
  return element("ul", { class: "icons", "aria-label": "Apps" }, model.apps.map((app) =>
    element("li", {},
      element("button", {
        type: "button", class: "app-icon", data: { focus: `icon ${app.id}` },
        "aria-label": `Open ${app.name}${app.visibleBadge ? `, badge ${app.visibleBadge}` : ""}`,
        onclick: () => moveApp(app.id, "launch"),
      }, appMark(app.id, app.name), app.visibleBadge ? element("span", { class: "badge", "aria-hidden": "true" }, badgeText(app.visibleBadge)) : null,
        element("span", { class: "app-name", "aria-hidden": "true" }, app.name)))));
}

const badgeText = (number) => (number > 9999 ? "9999+" : String(number));

const moveApp = (app, command) =>
  attempt(() => session.post(session.own(`/apps/${session.segment(app)}/lifecycle`), { command }));

function openApp(app) {
  return element("div", { class: "open-app" }, appMark(app.id, app.name),
    element("p", { class: "open-name" }, app.name), element("p", { class: "faint" }, "is open, and gets its pushes itself"),
    button("Home", () => session.post(session.own(`/apps/${session.segment(app.id)}/lifecycle`), { command: "background" }), { kind: "glassy" }));
}

function center() {
  const sections = new Map();
  for (const note of model.center) sections.set(note.app, [...(sections.get(note.app) ?? []), note]);
  if (sections.size === 0) return element("p", { class: "no-notes" }, "No notifications");
  return element("div", { class: "center" },
    element("div", { class: "center-head" }, element("h3", {}, "Notification Center"),
      button("Clear all", () => session.remove(session.own("/center")), { kind: "glassy small" })),
    [...sections].map(([app, notes]) => section(app, notes)));
}

function section(app, notes) {
  const name = notes[0].appName;
  return element("section", { class: "notes", "aria-label": name },
    element("div", { class: "notes-head" }, appMark(app, name), element("h4", {}, name),
      element("button", {
        type: "button", class: "clear", data: { focus: `clear ${app}` }, "aria-label": `Clear the notifications of ${name}`,
        onclick: () => attempt(() => session.remove(session.own(`/apps/${session.segment(app)}/center`))),
      }, "×")),
    element("ul", {}, notes.map(note)));
}

function note(notification) {
  return element("li", { class: `note${notification.isSeen ? "" : " is-unseen"}` },
    element("div", { class: "note-words" },
      notification.title ? element("strong", {}, notification.title) : null,
      notification.subtitle ? element("span", { class: "note-subtitle" }, notification.subtitle) : null,
      notification.body ? element("span", {}, notification.body) : null,
      !notification.title && !notification.body ? element("span", { class: "faint" }, "without words") : null),
    element("span", { class: "note-side" },
      notification.level !== "active" ? element("span", { class: `level level-${notification.level}` }, notification.level.replace("-", " ")) : null,
      element("time", {}, ago(notification.arrivedWallMicroseconds)),
      notification.isSeen ? null : element("span", { class: "unseen" }, "unseen")),
    element("button", {
      type: "button", class: "clear", data: { focus: `note ${notification.id}` }, "aria-label": `Remove ${notification.title ?? notification.body ?? "it"}`,
      onclick: () => attempt(() => session.remove(session.own(`/center/${notification.id}`))),
    }, "×"));
}

function bannerOf(notification) {
  return element("div", { class: "banner" }, appMark(notification.app, notification.appName),
    element("div", { class: "note-words" }, element("small", {}, notification.appName),
      notification.title ? element("strong", {}, notification.title) : null,
      notification.body ? element("span", {}, notification.body) : null));
}

function alertPlace(notification, alertsBelow) {
  const press = (which) => () => session.post(session.own("/press"), { button: which });
  const [left, right] = notification.buttons;
  return element("div", { class: "alert-place" },
    element("div", { class: "alert", role: "group", "aria-label": `Alert of ${notification.appName}` },
      element("small", {}, notification.appName),
      notification.title ? element("strong", {}, notification.title) : null,
      notification.subtitle ? element("span", { class: "note-subtitle" }, notification.subtitle) : null,
      notification.body ? element("p", {}, notification.body) : null,
      element("div", { class: "alert-buttons" },
        button(left ?? "OK", press("close"), { focus: "alert close" }),
        right ? button(right, press("view"), { focus: "alert view", kind: "strong" }) : null),
      alertsBelow ? element("small", { class: "below" }, `${alertsBelow} more below`) : null));
}
