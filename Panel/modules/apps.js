// The apps: the state, the settings, the facts and the scheduled notifications of each.

import { attempt, button, choice, commandLine, confirmed, copyButton, counted, percentage, toggle } from "./controls.js";
import { byID, element, show, words } from "./elements.js";
import { localTime, model, watch } from "./model.js";
import { appMark, iconFacts } from "./pictures.js";
import * as session from "./session.js";
import { soundChoice } from "./sound.js";
import { KINDS } from "./tables.js";
import { appSetting, clockText, dateText, lifecycleText } from "./words.js";

const LIMITS = {
  /** The number of notifications from which the person is asked before they are removed. */
  asked: 10,
};
const LIFECYCLE = { launch: "Open", background: "Background", kill: "Stopped", "force-quit": "Force-quit" };
const STATES = { foreground: "launch", background: "background", notRunning: "kill", forceQuit: "force-quit" };

const opened = new Set();

/** The settings that, switched off, remove the app's notifications from Notification Center (rule S1). */
const REMOVING = ["allow-notifications", "show-in-notification-center"];
const EVERY = ["10s", "30s", "1m", "5m", "15m", "1h"];
const TIMES = ["1", "3", "10", "30", "100"];
/** Returns the usual values and the current one, with their words. */
const withValue = (usual, value) => Object.fromEntries([...new Set([...usual, value])].map((each) =>
  [each, each.replace("s", " s").replace("m", " min").replace("h", " h")]));

export function make() {
  watch(["apps", "local"], draw);
  watch(["chosen"], () => opened.clear());
}

function draw() {
  // The number of notifications changes with every push and is not shown here.
  const facts = model.apps.map(({ notifications, ...others }) => others);
  show(byID("apps-body"), [facts, iconFacts(), model.local], () => (model.apps.length === 0 ? none() : model.apps.map(card)));
}

function none() {
  return [element("p", { class: "empty" }, "No app is installed. This installs the example:"),
      commandLine(`deskbell app install mailroom${session.option()}`)];
}

const path = (app, ...rest) => session.own(["/apps", session.segment(app.id), ...rest].join("/"));

function card(app) {
  const details = element("details", {
    class: "app", open: opened.has(app.id) || model.apps.length === 1 && !opened.has(`closed ${app.id}`),
    ontoggle: () => {
      if (details.open) { opened.add(app.id); opened.delete(`closed ${app.id}`); } else { opened.delete(app.id); opened.add(`closed ${app.id}`); }
    },
  },
    element("summary", { data: { focus: `app ${app.id}` } }, appMark(app.id, app.name),
      element("span", { class: "app-words" }, element("strong", { dir: "auto" }, app.name),
        element("small", {}, app.registration === "registered" ? lifecycleText(app.lifecycle) : app.registration === "pending" ? "has not registered yet" : "unregistered"))),
    lifecycle(app), registration(app), settings(app), facts(app), scheduled(app));
  return details;
}

/** Asks before notifications are removed. Returns false if the person wants to keep them. */
async function mayRemove({ id, name }, deed) {
  const { notifications = 0 } = model.apps.find((app) => app.id === id) ?? {};
  if (notifications < LIMITS.asked) return true;
  return confirmed(`${deed} removes ${counted(notifications, "notification")} of ${name}. They cannot be brought back.`,
    `Remove ${notifications.toLocaleString("en-GB")}`);
}

function lifecycle(app) {
  return element("div", { class: "segments", role: "group", "aria-label": `${app.name}: running` },
    Object.entries(LIFECYCLE).map(([command, words]) =>
      element("button", {
        type: "button", "aria-pressed": String(STATES[app.lifecycle] === command), data: { focus: `${app.id} ${command}` },
        onclick: () => attempt(() => session.post(path(app, "lifecycle"), { command })),
      }, words)));
}

function registration(app) {
  const isRegistered = app.registration === "registered";
  return element("div", { class: "row" },
    isRegistered ? element("span", { class: "faint" }, `Registered for ${app.kinds.join(", ") || "nothing"}`) : null,
    isRegistered
      ? button("Unregister", async () => await mayRemove(app, "Unregistering") && session.post(path(app, "unregister")), { kind: "small", focus: `${app.id} unregister` })
      : button("Register", () => session.post(path(app, "register"), { kinds: KINDS }), { kind: "small main", focus: `${app.id} register` }));
}

function settings(app) {
  if (app.hasSettings === false) {
    return element("p", { class: "faint" }, `${app.name} has no settings before it registers or schedules a notification.`);
  }
  return element("div", { class: "toggles", role: "group", "aria-label": `Settings of ${app.name}` }, app.settings.map(({ key, value }) => {
    const { label, options } = appSetting(key);
    const change = (wanted) => session.put(path(app, "settings", key), { value: wanted });
    const focus = `${app.id} ${key}`;
    if (key === "default-sound") return soundChoice(label, options, value, change, { focus, app: app.id });
    if (options) return choice(label, options, value, change, { focus });
    if (value.endsWith("%")) return percentage(label, value, change, { focus });
    if (key === "repeat-every") return choice(label, withValue(EVERY, value), value, change, { focus });
    if (key === "repeat-times") return choice(label, withValue(TIMES, value), value, change, { focus });
    const removes = (isOn) => !isOn && REMOVING.includes(key);
    return toggle(label, value === "on", async (isOn) =>
      (!removes(isOn) || await mayRemove(app, `Switching "${label}" off`)) && change(isOn ? "on" : "off"), { focus });
  }));
}

function facts(app) {
  const number = element("input", { type: "number", min: 0, value: app.badge, data: { focus: `${app.id} badge-number` } });
  return element("dl", { class: "facts" },
    element("dt", {}, "Bundle"), element("dd", {}, element("code", {}, app.id)),
    element("dt", {}, "Device token"), element("dd", { class: "token" }, element("code", {}, app.token),
      copyButton(app.token, { focus: `${app.id} copy`, label: `Copy the device token of ${app.name}` })),
    element("dt", {}, "Sounds"), element("dd", {}, app.sounds.join(", ") || "none of its own"),
    app.launchImages?.length ? [element("dt", {}, "Launch images"), element("dd", {}, app.launchImages.join(", "))] : null,
    element("dt", {}, "Background"), element("dd", {}, app.held ? `holds an update` : app.receivesBackgroundUpdates ? "gets background updates" : "gets no background updates"),
    element("dt", {}, "Badge"), element("dd", {},
      element("form", { class: "row", onsubmit: (event) => {
        event.preventDefault();
        attempt(() => session.put(path(app, "badge"), { number: Math.trunc(Number(number.value)) }));
      } }, element("label", { class: "inline" }, element("span", { class: "unseen" }, `Badge of ${app.name}`), number),
        element("button", { type: "submit", class: "small" }, "Set"))));
}

function scheduled(app) {
  const waiting = model.local.filter((local) => local.app === app.id);
  if (waiting.length === 0) return null;
  return element("div", {}, element("h3", {}, "Scheduled"), element("ul", { class: "scheduled" }, waiting.map((local) => {
    const due = local.dueWallMicroseconds ? localTime(local.dueWallMicroseconds) : null;
    return element("li", {}, words("span", local.request.title ?? local.request.body ?? local.identifier),
      element("span", { class: "faint" }, due ? `${dateText(due)}, ${clockText(due)}` : "at once"),
      button("Cancel", () => session.remove(path(app, "local", session.segment(local.identifier))), { kind: "small", focus: `${app.id} cancel ${local.identifier}` }));
  })));
}
