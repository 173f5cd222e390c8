// The conditions of the handset: its switches, its battery, its network, and its clock.

import { attempt, button, toggle } from "./controls.js";
import { byID, element, show } from "./elements.js";
import { appName, localTime, model, refresh, watch } from "./model.js";
import * as session from "./session.js";
import { clockSeconds, clockText, condition, dateText } from "./words.js";

const SNOOZES = { "10 min": 600, "1 h": 3600, "8 h": 28800 };
const STEPS = { "1 min": 60, "15 min": 900, "1 h": 3600, "1 day": 86400 };

let ticking;

export function make() {
  watch(["conditions", "clock", "state"], draw);
}

function draw() {
  if (!model.clock || !model.state) return;
  const isVirtual = model.clock.clock === "virtual";
  show(byID("surroundings-body"), [model.conditions, model.state.snoozes, isVirtual ? model.clock : null], () => [
    element("div", { class: "toggles two" }, Object.entries(model.conditions).map(([key, value]) => {
      const { label, help } = condition(key);
      return toggle(label, value === "on",
        (isOn) => session.put(session.own(`/conditions/${key}`), { value: isOn ? "on" : "off" }), { help, focus: `condition ${key}` });
    })),
    snooze(),
    clock(),
    element("div", { class: "row", role: "group", "aria-labelledby": "board-buttons" },
      element("span", { class: "grow", id: "board-buttons" }, "The board's buttons"),
      button("View", () => session.post(session.own("/press"), { button: "view" }), { label: "Press the board's View button", focus: "press view" }),
      button("Close", () => session.post(session.own("/press"), { button: "close" }), { label: "Press the board's Close button", focus: "press close" }),
      button("Clear all", () => session.post(session.own("/press"), { button: "close", length: "long" }),
        { label: "Clear all, as holding the board's Close button does", focus: "press long" })),
  ]);
  clearInterval(ticking);
  if (!isVirtual) ticking = setInterval(tick, 1000);
}

/** Makes the rows of current snoozes, and a choice for all apps unless all are snoozed. */
function snooze() {
  const { snoozes } = model.state;
  const rows = snoozes.map(({ app, untilWallMicroseconds }) => element("div", { class: "row" },
    element("span", { class: "grow" }, `${app ? appName(app) : "All apps"}: silent until ${clockText(localTime(untilWallMicroseconds))}`),
    button("End", () => session.remove(session.own(app ? `/apps/${session.segment(app)}/snooze` : "/snoozes")),
      { label: `End the snooze of ${app ? appName(app) : "all apps"}`, focus: `end snooze ${app ?? ""}` })));
  const choices = element("div", { class: "row", role: "group", "aria-labelledby": "snooze-all" },
    element("span", { class: "grow", id: "snooze-all" }, "Snooze all apps"),
    Object.entries(SNOOZES).map(([words, seconds]) =>
      button(words, () => session.put(session.own("/snoozes"), { seconds }), { label: `Snooze all apps for ${words}`, focus: `snooze ${words}` })));
  return element("div", { class: "snoozes" }, rows, snoozes.some(({ app }) => !app) ? null : choices);
}

function tick() {
  const place = byID("clock-time");
  if (place && !document.hidden && model.link !== "lost") place.textContent = clockSeconds(localTime());
}

function clock() {
  const isVirtual = model.clock.clock === "virtual";
  return element("div", { class: "clock" },
    element("div", {}, element("span", { id: "clock-time", class: "clock-time" }, clockSeconds(localTime())),
      element("span", { class: "faint" }, ` ${dateText(localTime())}`, isVirtual ? ", virtual: it stands still" : "")),
    isVirtual ? advance() : null);
}

function advance() {
  const minutes = element("input", { type: "number", min: 1, max: 527040, value: 45, id: "advance-minutes", data: { focus: "minutes" } });
  return element("div", { class: "row", role: "group", "aria-label": "Advance the clock" },
    Object.entries(STEPS).map(([words, seconds]) =>
      button(`+${words}`, () => move(seconds), { kind: "small", focus: `advance ${words}`, label: `Advance by ${words}` })),
    element("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      attempt(() => move(Math.round(Number(minutes.value) * 60)));
    } }, element("label", { class: "inline" }, minutes, " min"), element("button", { type: "submit", class: "small" }, "Advance")));
}

async function move(seconds) {
  await session.post("/v1/clock/advance", { seconds });
  await refresh("clock", "state", "center", "apps", "local");
}
