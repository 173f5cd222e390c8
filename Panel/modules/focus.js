// Focus: which mode is on, and for each mode the apps that may present, its schedule, and what time-sensitive ones do.

import { attempt, button, choice, confirmed, toggle } from "./controls.js";
import { byID, element, show } from "./elements.js";
import { model, refresh, watch } from "./model.js";
import * as session from "./session.js";
import { momentText } from "./words.js";

const FIRST = { allow: [], timeSensitive: true, filters: {}, schedule: null };
const NIGHT = ["22:00", "07:00"];

const opened = new Set();

export function make() {
  watch(["state", "focus", "apps"], draw);
  watch(["chosen"], () => {
    opened.clear();
    model.focus = null;
  });
  watch(["known", "link"], () => { if (model.isKnown && model.link !== "lost" && model.state.focus) refresh("focus").catch(() => {}); });
}

const path = (name) => session.own(`/focus/${session.segment(name)}`);

/** Sends a mode, and reads all of them again. */
async function put({ name, allow, timeSensitive, filters, schedule }) {
  await session.put(path(name), { allow, timeSensitive, filters, ...(schedule ? { schedule } : {}) });
  await refresh("focus", "state");
}

function draw() {
  const isKept = Boolean(model.state?.focus && model.focus);
  byID("focus").hidden = !isKept;
  if (!isKept) return;
  const names = model.apps.map(({ id, name }) => [id, name]);
  show(byID("focus-body"), [model.focus, model.state.focus, names], () => {
    const { modes } = model.focus, active = model.state.focus.mode;
    const until = model.state.focus.untilWallMicroseconds;
    return [
      choice("Focus", Object.fromEntries([["off", "Off"], ...modes.map(({ name }) => [name, name])]), active ?? "off", async (value) => {
        await session.put(session.own("/settings/focus"), { value });
        await refresh("focus", "state", "settings");
      }, { focus: "focus mode" }),
      active && until ? element("p", { class: "faint" }, `until ${momentText(until)}`) : null,
      modes.map(card), another(modes),
    ];
  });
}

function card(mode) {
  const { name, allow, timeSensitive } = mode;
  const details = element("details", { class: "app", open: opened.has(name), ontoggle: () => { if (details.open) opened.add(name); else opened.delete(name); } },
    element("summary", { data: { focus: `focus ${name}` } }, element("span", { class: "app-words" }, element("strong", { dir: "auto" }, name),
      element("small", {}, allow.length === 0 ? "no app is allowed" : `${allow.length} of ${Math.max(allow.length, model.apps.length)} apps allowed`))),
    element("fieldset", { class: "toggles" }, element("legend", {}, `Apps that ${name} allows`),
      [...new Set([...model.apps.map(({ id }) => id), ...allow])].map((id) =>
        toggle(model.apps.find((app) => app.id === id)?.name ?? id, allow.includes(id),
          (isOn) => put({ ...mode, allow: isOn ? [...allow, id] : allow.filter((each) => each !== id) }), { focus: `focus ${name} ${id}` }))),
    element("div", { class: "toggles" },
      toggle("Time-sensitive ones pass", timeSensitive, (isOn) => put({ ...mode, timeSensitive: isOn }), { focus: `focus ${name} time-sensitive` }),
      hours(mode), allow.map((id) => criteria(mode, id))),
    element("div", { class: "row" }, button("Remove", async () => {
      if (!await confirmed(`Remove the Focus “${name}”?`, "Remove")) return;
      await session.remove(path(name));
      await refresh("focus", "state");
    }, { kind: "small", focus: `focus ${name} remove`, label: `Remove the Focus ${name}` })));
  return details;
}

function hours(mode) {
  const [from, until] = mode.schedule?.split("-") ?? NIGHT;
  const time = (words, value) => element("input", { type: "time", value, required: true, "aria-label": `${mode.name}: ${words}`, data: { focus: `focus ${mode.name} ${words}` },
    onchange: () => attempt(() => put({ ...mode, schedule: `${start.value}-${end.value}` })) });
  const start = time("from", from), end = time("until", until);
  return element("div", { class: "hours" },
    toggle("On a schedule", mode.schedule !== null && mode.schedule !== undefined, (isOn) => put({ ...mode, schedule: isOn ? `${from}-${until}` : null }), { focus: `focus ${mode.name} schedule` }),
    mode.schedule ? element("div", { class: "row" }, start, element("span", { "aria-hidden": "true" }, "to"), end) : null);
}

/** Makes the field for what a push's filter-criteria may be: nothing in it lets every push of the app through. */
function criteria(mode, id) {
  const input = element("input", { type: "text", value: (mode.filters?.[id] ?? []).join(", "), placeholder: "any", data: { focus: `focus ${mode.name} criteria ${id}` },
    onchange: () => {
      const list = input.value.split(",").map((each) => each.trim()).filter(Boolean);
      const { [id]: _, ...others } = mode.filters ?? {};
      attempt(() => put({ ...mode, filters: list.length ? { ...others, [id]: list } : others }));
    } });
  return element("label", { class: "choice is-tall" }, element("span", {}, `${model.apps.find((app) => app.id === id)?.name ?? id}: only with these criteria`), input);
}

function another(modes) {
  const name = element("input", { type: "text", id: "focus-name", required: true, maxlength: "32", pattern: "[A-Za-z0-9._\\-]+", title: "Letters, digits, dots, dashes and underscores", data: { focus: "focus name" } });
  return element("form", { class: "row focus-form", onsubmit: (event) => {
    event.preventDefault();
    const wanted = name.value.trim();
    if (modes.some((mode) => mode.name === wanted)) return;
    opened.add(wanted);
    attempt(() => put({ ...FIRST, name: wanted }));
  } }, element("label", { for: "focus-name" }, "Another Focus"), name, element("button", { type: "submit", class: "small" }, "Add"));
}
