// The events, newest first, with a filter; and for each push, why it rang or did not.

import { attempt } from "./controls.js";
import { byID, element, oneStop, replace } from "./elements.js";
import { appName, localTime, model, watch } from "./model.js";
import { explain } from "./explanation.js";
import { GROUPS, clockSeconds, sentence, tone } from "./words.js";

const LIMITS = {
  /** The rows that are added at a time. */
  rows: 100,
};

const filter = { text: "", group: "", app: "", isPaused: false, rows: LIMITS.rows };
let shown = [];
let list, count, more, apps, pause, settle;

export function make() {
  const search = element("input", { type: "search", id: "filter-text", placeholder: "presented, letter, 8C07…", oninput: () => { filter.text = search.value.toLowerCase(); again(); } });
  const group = element("select", { id: "filter-group", onchange: () => { filter.group = group.value; again(); } },
    element("option", { value: "" }, "All kinds"), Object.keys(GROUPS).map((name) => element("option", { value: name }, name)));
  apps = element("select", { id: "filter-app", onchange: () => { filter.app = apps.value; again(); } });
  pause = element("button", { type: "button", class: "small", "aria-pressed": "false", onclick: () => setPaused(!filter.isPaused) }, "Pause");
  count = element("span", { class: "faint", id: "events-count" });
  list = element("ol", { class: "log", reversed: true, "aria-label": "Events, newest first; the arrow keys move among their explanations" });
  settle = oneStop(list, () => [...list.querySelectorAll(".explain")]);
  more = element("button", { type: "button", class: "small", onclick: () => { filter.rows += LIMITS.rows; draw(); } }, "Show older ones");
  replace(byID("events-body"),
    element("div", { class: "filters", role: "search", "aria-label": "Events" },
      element("label", {}, element("span", { class: "unseen" }, "Words to look for"), search),
      element("label", {}, element("span", { class: "unseen" }, "Kind"), group),
      element("label", {}, element("span", { class: "unseen" }, "App"), apps), pause, count),
    list, more);
  watch(["events", "state"], draw);
  watch(["apps"], drawApps);
  // The other handset may not have the app.
  watch(["chosen"], () => { filter.app = ""; setPaused(false); });
  drawApps();
}

function setPaused(isPaused) {
  filter.isPaused = isPaused;
  pause.setAttribute("aria-pressed", String(isPaused));
  pause.textContent = isPaused ? "Go on" : "Pause";
  draw();
}

function drawApps() {
  apps.replaceChildren(element("option", { value: "" }, "All apps"), ...model.apps.map((app) => element("option", { value: app.id }, app.name)));
  apps.value = filter.app;
  draw();
}

function again() {
  filter.rows = LIMITS.rows;
  draw();
}

function matches(event) {
  if (filter.group && !GROUPS[filter.group].includes(event.event)) return false;
  if (filter.app && event.app !== filter.app) return false;
  if (!filter.text) return true;
  return `${event.event} ${event.app ?? ""} ${event.app ? appName(event.app) : ""} ${event.push ?? ""} ${sentence(event)}`.toLowerCase().includes(filter.text);
}

function draw() {
  if (!model.state) return;
  if (!filter.isPaused) shown = [...model.events];
  const found = shown.filter(matches).reverse();
  const rows = found.slice(0, filter.rows);
  const known = new Map([...list.children].map((row) => [row.dataset.key, row]));
  // Existing rows stay in place: a row that is inserted again loses the focus.
  const shownRows = rows.map((event) => {
    const key = `${event.sequence} ${event.app ? appName(event.app) : ""}`;
    return known.get(key) ?? row(event, key);
  });
  const kept = new Set(shownRows);
  for (const row of [...list.children]) if (!kept.has(row)) row.remove();
  shownRows.forEach((row, place) => { if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null); });
  // A list that can be scrolled can always be focused.
  if (settle()) list.removeAttribute("tabindex"); else list.tabIndex = 0;
  list.setAttribute("start", found.length);
  count.textContent = found.length === shown.length ? `${found.length} events` : `${found.length} of ${shown.length} events`;
  more.hidden = rows.length === found.length;
  list.hidden = rows.length === 0;
  byID("no-events")?.remove();
  if (rows.length === 0) {
    list.after(element("p", { class: "empty", id: "no-events" }, shown.length === 0 ? "Nothing has happened yet." : "No event is like that."));
  }
}

function row(event, key) {
  const time = localTime(event.wallMicroseconds);
  return element("li", { class: `event tone-${tone(event)}`, data: { key } },
    element("time", { title: `event ${event.sequence}` }, clockSeconds(time)),
    element("span", { class: "event-name" }, event.event),
    element("span", { class: "event-app" }, event.app ? appName(event.app) : ""),
    element("span", { class: "event-words" }, sentence(event)),
    event.push
      ? element("button", { type: "button", class: "explain", title: event.push, "aria-label": `Explain event ${event.sequence}, push ${event.push.slice(0, 8)}`,
        onclick: () => attempt(() => explain(event.push)) }, "Why?")
      : element("span", {}));
}
