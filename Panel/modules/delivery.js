// What Apple's console says of pushes: the ten statuses by push type of all handsets, as a table and a chart,
// and the log of one push.

import { attempt } from "./controls.js";
import { byID, drawn, element, replace } from "./elements.js";
import { localTime } from "./model.js";
import * as session from "./session.js";
import { clockSeconds } from "./words.js";

/** The ten statuses in the console's order, with their tones. */
const STATUSES = {
  "Received by APNs": "plain", "Delivered to Device": "good", "Delivered to Device (From Storage)": "good",
  "Stored – Device Offline": "stored", "Stored – Power Considerations": "stored",
  "Discarded – Token Unregistered": "bad", "Discarded – Token Unregistered (From Storage)": "bad",
  "Discarded – Expired": "bad", "Discarded – Disabled": "bad", "Discarded – Disabled (From Storage)": "bad",
};
const BAR = { height: 14, row: 34, width: 320 };

let body;

export function make() {
  const details = byID("delivery");
  body = byID("delivery-body");
  details.addEventListener("toggle", () => { if (details.open) attempt(draw); });
}

async function draw() {
  const counts = await session.get("/v1/delivery-statuses");
  const types = [...new Set(counts.filter(({ count }) => count > 0).map(({ pushType }) => pushType))].sort();
  const of = (status, type) => counts.filter((each) => each.status === status && (type === null || each.pushType === type))
    .reduce((sum, { count }) => sum + count, 0);
  const statuses = [...new Set([...Object.keys(STATUSES), ...counts.map(({ status }) => status)])];
  replace(body,
    types.length === 0 ? element("p", { class: "empty" }, "No push has come yet.") : [
      element("div", { class: "delivery-scroll", tabindex: "0", role: "region", "aria-label": "Statuses by push type" }, table(statuses, types, of)),
      chart(statuses, of)],
    element("button", { type: "button", class: "small", data: { focus: "delivery again" }, onclick: () => attempt(draw) }, "Count again"));
}

function table(statuses, types, of) {
  return element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Status"),
      types.map((type) => element("th", { scope: "col" }, type)), element("th", { scope: "col" }, "All"))),
    element("tbody", {}, statuses.map((status) => element("tr", {}, element("th", { scope: "row" }, status),
      types.map((type) => element("td", {}, number(of(status, type)))), element("td", {}, number(of(status, null)))))));
}

const number = (count) => count.toLocaleString("en-GB");

/** Draws a bar for each status. The table has the same numbers for those who do not see it. */
function chart(statuses, of) {
  const all = statuses.map((status) => of(status, null));
  const most = Math.max(1, ...all);
  return drawn("svg", {
    viewBox: `0 0 ${BAR.width} ${statuses.length * BAR.row}`, class: "delivery-chart", role: "img",
    "aria-label": `Pushes by status: ${statuses.map((status, place) => `${status} ${number(all[place])}`).filter((_, place) => all[place] > 0).join(", ")}`,
  }, statuses.map((status, place) => drawn("g", { transform: `translate(0 ${place * BAR.row})`, class: `bar-${STATUSES[status] ?? "plain"}` },
    drawn("text", { x: 0, y: 11 }, status), drawn("text", { x: BAR.width, y: 11, "text-anchor": "end" }, number(all[place])),
    drawn("rect", { x: 0, y: 16, width: BAR.width, height: BAR.height, rx: 3, class: "bar-place" }),
    drawn("rect", { x: 0, y: 16, width: Math.max(all[place] > 0 ? 2 : 0, BAR.width * all[place] / most), height: BAR.height, rx: 3, class: "bar" }))));
}

/** Returns the elements of a push's delivery log; none from a daemon that keeps none. */
export async function deliveryLog(push) {
  const lines = await session.get(session.own(`/pushes/${session.segment(push)}/delivery-log`)).catch((error) => {
    if (error.status === 404) return [];
    throw error;
  });
  if (lines.length === 0) return [];
  return [element("h3", {}, "Delivery log"),
    element("ol", { class: "happened delivery-log" }, lines.map(({ wallMicroseconds, line, status, rule, text }) =>
      element("li", {}, element("time", {}, clockSeconds(localTime(wallMicroseconds))),
        element("span", {}, line, rule ? element("span", { class: "rule" }, ` ${rule}`) : null,
          [status, text].some(Boolean) ? element("small", {}, [status, text].filter(Boolean).join(" · ")) : null))))];
}
