// The handset's screen: icons with their badges, Notification Center in sections, a banner that disappears, an alert
// that stays. Everything that a person could press can be pressed here.

import { activities, activityCards, isCounting } from "./activities.js";
import { attempt, button } from "./controls.js";
import { byID, element, hasIcon, icon, oneStop, show, words } from "./elements.js";
import { localTime, model, refresh, uptime, watch } from "./model.js";
import { appMark, iconFacts, launchImage, launchImageOf } from "./pictures.js";
import { later, laterFacts, makePull } from "./service.js";
import * as session from "./session.js";
import { slide } from "./slide.js";
import { ago, clockText, condition, dateText } from "./words.js";

let bannerTimer, clockTimer, secondTimer, glass, status, screen, front, cards, list, overlay;
/** Texts for actions that are not sent yet: the screen is drawn anew with each change. */
const drafts = new Map();
/** Threads whose older notifications are shown too. */
const opened = new Set();
/** Sets the Tab key's stop in Notification Center, and returns it. */
let settle;

export function make() {
  status = element("div", { class: "status" });
  screen = element("div", { class: "screen", tabindex: "0", role: "region", "aria-label": "Screen" });
  // Hundreds of buttons would be hundreds of stops.
  settle = oneStop(screen, () => [...screen.querySelectorAll(".notes button")]);
  [front, cards, list] = [1, 2, 3].map(() => screen.appendChild(element("div", {})));
  overlay = element("div", { class: "overlay" });
  glass = element("div", { class: "glass" }, status, screen, overlay);
  byID("phone").replaceChildren(glass);
  makePull(screen, attempt);
  watch(["state", "apps", "center", "conditions", "clock"], draw);
  watch(["chosen"], () => { drafts.clear(); opened.clear(); });
}

function draw() {
  if (!model.state || !model.clock) return;
  const { conditions, state } = model;
  const { banner, alert, alertsBelow } = state.presentation;
  const isLocked = conditions.locked === "on";
  const open = model.apps.find((app) => app.lifecycle === "foreground");
  const minute = Math.floor(localTime() / 60000);
  glass.classList.toggle("is-locked", isLocked);
  // A keyboard cannot reach the controls below an alert either.
  screen.inert = Boolean(alert);
  show(status, [conditions, state.quietHours, state.focus, minute], () => marks(isLocked));
  const icons = model.apps.map(({ id, name, visibleBadge, lifecycle }) => [id, name, visibleBadge, lifecycle]);
  const pictures = iconFacts(), image = open ? launchImageOf(open) : null;
  const hadFocus = screen.contains(document.activeElement);
  show(front, [isLocked, icons, pictures, image, isLocked ? minute : 0], () => (isLocked ? lockScreen() : open ? openApp(open, image) : home()));
  drawCards(minute);
  show(list, [model.center, pictures, laterFacts(), minute, [...opened]], () => [later(), center()]);
  const stop = settle();
  // If the focused control is gone, the control in its place gets the focus.
  if (hadFocus && !screen.contains(document.activeElement)) (stop ?? screen).focus({ preventScroll: true });
  // A banner or alert that is shown already is not animated again.
  show(overlay, [banner?.id, banner, alert, alertsBelow, pictures], () => alert ? alertPlace(alert, alertsBelow) : banner ? bannerOf(banner) : []);
  // A long message can be scrolled with a keyboard, too.
  for (const text of overlay.querySelectorAll(".alert-text")) if (text.scrollHeight > text.clientHeight) text.tabIndex = 0;
  clearTimeout(bannerTimer);
  if (banner && model.clock.clock !== "virtual") {
    const left = (state.presentation.bannerUntilUptimeMicroseconds - uptime()) / 1000;
    bannerTimer = setTimeout(() => { state.presentation.banner = null; draw(); }, Math.max(0, left));
  }
  clearTimeout(clockTimer);
  if (model.clock.clock !== "virtual") clockTimer = setTimeout(tick, 60000 - (localTime() % 60000) + 20);
}

/** Draws the Live Activities, and again each second while one counts down. */
function drawCards(minute) {
  const counts = isCounting() && model.clock.clock !== "virtual";
  show(cards, [activities(), iconFacts(), counts ? Math.floor(localTime() / 1000) : minute], activityCards);
  clearTimeout(secondTimer);
  if (counts && model.link !== "lost") secondTimer = setTimeout(() => drawCards(minute), 1000);
}

/** Draws the next minute. Quiet and night hours begin without an event, and clocks go forward. */
function tick() {
  if (model.link === "lost") return;
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
      state.focus?.mode ? icon("focus", `Focus: ${state.focus.mode}`) : null,
      Object.keys(conditions).filter((key) => conditions[key] === "on" && hasIcon(key)).map((key) => icon(key, condition(key).label))),
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
      element("pre", { class: "line" }, element("code", {}, `deskbell app install mailroom${session.option()}`)));
  }
  return element("ul", { class: "icons", "aria-label": "Apps" }, model.apps.map((app) =>
    element("li", {},
      element("button", {
        type: "button", class: "app-icon", data: { focus: `icon ${app.id}` },
        "aria-label": `Open ${app.name}${app.visibleBadge ? `, badge ${app.visibleBadge}` : ""}`,
        onclick: () => moveApp(app.id, "launch"),
      }, appMark(app.id, app.name), app.visibleBadge ? element("span", { class: "badge", "aria-hidden": "true" }, badgeText(app.visibleBadge)) : null,
        element("span", { class: "app-name", "aria-hidden": "true", dir: "auto" }, app.name)))));
}

const badgeText = (number) => (number > 9999 ? "9999+" : String(number));

const moveApp = (app, command) =>
  attempt(() => session.post(session.own(`/apps/${session.segment(app)}/lifecycle`), { command }));

function openApp(app, image) {
  return element("div", { class: "open-app" }, image ? launchImage(app, image) : appMark(app.id, app.name),
    element("p", { class: "open-name", dir: "auto" }, app.name), element("p", { class: "faint" }, "is open, and gets its pushes itself"),
    button("Home", () => session.post(session.own(`/apps/${session.segment(app.id)}/lifecycle`), { command: "background" }), { kind: "glassy" }));
}

// MARK: Notification Center

function center() {
  const sections = grouped(model.center, (note) => note.app);
  if (sections.length === 0) return element("p", { class: "no-notes" }, "No notifications");
  return element("div", { class: "center", role: "group", "aria-label": "Notification Center; the arrow keys move in it" },
    element("div", { class: "center-head" }, element("h3", {}, "Notification Center"),
      button("Clear all", () => session.remove(session.own("/center")), { kind: "glassy small" })),
    sections.map(section));
}

/** Groups those with the same key, each group at the place of its first one. */
function grouped(notes, key) {
  const groups = new Map();
  for (const note of notes) groups.set(key(note), [...(groups.get(key(note)) ?? []), note]);
  return [...groups.values()];
}

function section(notes) {
  const [{ app, appName: name }] = notes;
  return element("section", { class: "notes", "aria-label": name },
    element("div", { class: "notes-head" }, appMark(app, name), element("h4", { dir: "auto" }, name),
      element("button", {
        type: "button", class: "clear", data: { focus: `clear ${app}` }, "aria-label": `Clear the notifications of ${name}`,
        onclick: () => attempt(() => session.remove(session.own(`/apps/${session.segment(app)}/center`))),
      }, "×")),
    element("ul", {}, grouped(notes, (each) => each.threadID ?? each.id).map((group) => (group.length > 1 ? thread(group) : note(group[0])))));
}

/** Makes the newest notification of a thread, which the person can unfold. */
function thread(notes) {
  const [newest, ...older] = notes;
  const key = `thread ${newest.app} ${newest.threadID}`;
  const isOpen = opened.has(key);
  // The list has the newest ones only; the handset counts all.
  const count = Math.max(notes.length, newest.group ?? 0);
  return element("li", { class: `thread${isOpen ? "" : " is-stacked"}` },
    element("ul", { "aria-label": `${count} of the thread ${newest.threadID}` }, note(newest), isOpen ? older.map(note) : null),
    element("button", {
      type: "button", class: `more${!isOpen && older.some((each) => !each.isSeen) ? " is-unseen" : ""}`, "aria-expanded": String(isOpen), data: { focus: key },
      onclick: () => {
        if (!opened.delete(key)) opened.add(key);
        draw();
      },
    }, isOpen ? "Show the newest only" : `${count - 1} more of this thread`));
}

function note(notification) {
  const { id, title, subtitle, body, level, isSeen } = notification;
  const [first = element("span", { class: "faint" }, "without words"), ...rest] = [
    title ? words("strong", title) : null, subtitle ? words("span", subtitle, { class: "note-subtitle" }) : null,
    body ? words("span", body) : null,
  ].filter(Boolean);
  return element("li", { class: `note${isSeen ? "" : " is-unseen"}` },
    element("div", { class: "note-words" },
      element("div", { class: "note-head" }, first, element("time", {}, ago(notification.arrivedWallMicroseconds)), element("button", {
        type: "button", class: "open-note", data: { focus: `open ${id}` }, "aria-label": `Open ${title ?? body ?? "it"}`,
        onclick: () => attempt(() => session.post(session.own(`/center/${id}/response`), {})),
      }, "›")),
      level === "active" ? null : element("span", { class: `level level-${level}` }, level.replace("-", " ")),
      rest, isSeen ? null : element("span", { class: "unseen" }, "unseen"), actionButtons(notification)),
    element("button", {
      type: "button", class: "clear", data: { focus: `note ${id}` }, "aria-label": `Remove ${title ?? body ?? "it"}`,
      onclick: () => attempt(() => session.remove(session.own(`/center/${id}`))),
    }, "×"));
}

/** Makes the buttons of the notification's actions. */
function actionButtons({ id, actions = [] }) {
  if (actions.length === 0) return null;
  return element("div", { class: "actions" }, actions.map((action) => (action.textButton ? textInput(id, action) : actionButton(id, action))));
}

const respond = (id, action, text) => session.post(session.own(`/center/${id}/response`), { action, ...(text === undefined ? {} : { text }) });

const actionButton = (id, { id: action, title, isDestructive }) =>
  button(title, () => respond(id, action), { kind: isDestructive ? "small glassy destructive" : "small glassy", focus: `action ${id} ${action}` });

function textInput(id, { id: action, title, textButton, textPlaceholder }) {
  const field = element("input", { type: "text", dir: "auto", maxlength: "1000", required: true, placeholder: textPlaceholder ?? "", "aria-label": title, data: { focus: `text ${id} ${action}` } });
  const draft = `${id} ${action}`;
  field.value = drafts.get(draft) ?? "";
  field.addEventListener("input", () => drafts.set(draft, field.value));
  const form = element("form", { class: "action-text" }, field, element("button", { type: "submit", class: "small glassy" }, textButton));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(() => respond(id, action, field.value).then(() => drafts.delete(draft)));
  });
  return form;
}

function bannerOf(notification) {
  return element("div", { class: "banner" }, appMark(notification.app, notification.appName),
    element("div", { class: "note-words" }, element("small", { dir: "auto" }, notification.appName),
      notification.title ? words("strong", notification.title) : null,
      notification.body ? words("span", notification.body) : null));
}

function alertPlace(notification, alertsBelow) {
  const press = (which) => () => session.post(session.own("/press"), { button: which });
  const [left, right] = notification.buttons;
  return element("div", { class: "alert-place" },
    element("div", { class: "alert", role: "group", "aria-label": `Alert of ${notification.appName}` },
      element("div", { class: "alert-head" }, appMark(notification.app, notification.appName), element("small", { dir: "auto" }, notification.appName)),
      element("div", { class: "alert-text" },
        notification.title ? words("strong", notification.title) : null,
        notification.subtitle ? words("span", notification.subtitle, { class: "note-subtitle" }) : null,
        notification.body ? words("p", notification.body) : null),
      element("div", { class: "alert-buttons" },
        button(left ?? "OK", press("close"), { focus: "alert close" }),
        !right ? null : model.conditions.locked === "on" ? slide(right, press("view"), { focus: "alert view" })
          : button(right, press("view"), { focus: "alert view", kind: "strong" })),
      actionButtons(notification),
      alertsBelow ? element("small", { class: "below" }, `${alertsBelow} more below`) : null),
    // Outside of the alert, which has two buttons at most [HIG14].
    button(`Snooze ${notification.appName}`, () => session.put(session.own(`/apps/${session.segment(notification.app)}/snooze`), {}),
      { kind: "small", focus: "alert snooze" }));
}
