// The person's choices for the whole handset.

import { attempt, choice, percentage, toggle } from "./controls.js";
import { byID, element, show } from "./elements.js";
import { model, watch } from "./model.js";
import * as session from "./session.js";
import { soundChoice } from "./sound.js";
import { handsetSetting } from "./words.js";

const SNOOZES = ["5m", "10m", "30m", "1h", "8h"];
const NIGHT_VOLUME = "40%";
const SUMMARY = "08:00,18:00";
const INTERVALS = ["15m", "30m", "1h", "2h", "6h", "24h"];

export function make() {
  watch(["settings", "apps"], draw);
}

/** The groups of settings, by their use. Settings in no group come last. */
const PARTS = {
  "Sound and quiet": ["volume", "night-volume", "quiet-hours", "summary", "default-sound", "snooze", "vibrate-on-ring", "vibrate-on-silent"],
  "Lamp and display": ["lamp", "badge-shows", "night-hours"],
};

/** Settings that are chosen elsewhere on the page. */
const ELSEWHERE = ["focus"];

const set = (key) => (value) => session.put(session.own(`/settings/${key}`), { value });

function draw() {
  if (Object.keys(model.settings).length === 0) return;
  const names = model.apps.map(({ id, name }) => [id, name]);
  show(byID("settings-body"), [model.settings, names], () => {
    const parted = Object.values(PARTS).flat();
    const parts = { ...PARTS, Others: Object.keys(model.settings).filter((key) => ![...parted, ...ELSEWHERE].includes(key)) };
    return Object.entries(parts).map(([title, keys], index) => element("div", { class: "toggles", role: "group", "aria-labelledby": `settings-${index}` },
      element("h3", { id: `settings-${index}` }, title),
      keys.filter((key) => key in model.settings).map((key) => control(key, model.settings[key]))));
  });
}

function control(key, value) {
  const { label, options, help } = handsetSetting(key);
  const focus = `setting ${key}`;
  if (key === "default-sound") return soundChoice(label, options, value, set(key), { focus });
  if (value.endsWith("%") && key !== "night-volume") return percentage(label, value, set(key), { focus });
  if (options) return choice(label, options, value, set(key), { focus });
  switch (key) {
    case "badge-shows": {
      const apps = Object.fromEntries(model.apps.map((app) => [app.id, `${app.name} alone`]));
      return choice(label, { sum: "The sum of all apps", ...apps, ...(value === "sum" || apps[value] ? {} : { [value]: value }) }, value, set(key), { focus });
    }
    case "fetch-interval": {
      const intervals = [...new Set([...INTERVALS, value])];
      return choice(label, Object.fromEntries(intervals.map((each) => [each, each.replace("m", " min").replace("h", " h")])), value, set(key), { focus });
    }
    case "snooze": return choice(label, Object.fromEntries([...new Set([...SNOOZES, value])].map((each) => [each, each.replace("m", " min").replace("h", " h")])), value, set(key), { focus });
    case "night-volume": return nightVolume(key, label, value, focus);
    case "summary": return summary(key, label, value, focus);
    case "quiet-hours": case "night-hours": return hours(key, label, value, focus);
    default: return value === "on" || value === "off" ? toggle(label, value === "on", (isOn) => set(key)(isOn ? "on" : "off"), { help, focus }) : words(key, label, value, focus);
  }
}

/** Makes the control for two times of the day, or off. */
function hours(key, label, value, focus) {
  const isOn = value !== "off";
  const [from, until] = isOn ? value.split("-") : ["22:00", "07:00"];
  const time = (words, at, place) => element("input", { type: "time", value: at, required: true, "aria-label": `${label}: ${words}`, data: { focus: `${focus} ${place}` }, onchange: () => change() });
  const start = time("from", from, 0), end = time("until", until, 1);
  const change = async () => {
    const isDone = await attempt(async () => { await set(key)(`${start.value}-${end.value}`); return true; });
    if (!isDone) [start.value, end.value] = [from, until];
  };
  return element("div", { class: "hours" },
    toggle(label, isOn, (wanted) => set(key)(wanted ? `${start.value}-${end.value}` : "off"), { focus }),
    isOn ? element("div", { class: "row" }, start, element("span", { "aria-hidden": "true" }, "to"), end) : null);
}

/** Makes the control for the volume in night hours, or the same as by day. */
function nightVolume(key, label, value, focus) {
  const isOther = value !== "same";
  return element("div", {},
    toggle(label, isOther, (wanted) => set(key)(wanted ? NIGHT_VOLUME : "same"), { focus }),
    isOther ? percentage("Volume in night hours", value, set(key), { focus: `${focus} percent` }) : null);
}

/** Makes the control for the times of the scheduled summary, or off. */
function summary(key, label, value, focus) {
  const isOn = value !== "off";
  return element("div", {},
    toggle(label, isOn, (wanted) => set(key)(wanted ? SUMMARY : "off"), { focus }),
    isOn ? words(key, "Times, with commas between", value, `${focus} times`) : null);
}

/** Makes the control for a setting that this page does not know. */
function words(key, label, value, focus) {
  const input = element("input", { type: "text", value, data: { focus }, onchange: () => attempt(() => set(key)(input.value)) });
  return element("label", { class: "choice" }, element("span", {}, label), input);
}
