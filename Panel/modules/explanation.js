// The explanation why one push rang, or did not, rule by rule.

import { deliveryLog } from "./delivery.js";
import { byID, element, replace } from "./elements.js";
import { localTime, watch } from "./model.js";
import * as session from "./session.js";
import { clockSeconds, sentence } from "./words.js";

watch(["chosen"], () => byID("explanation").close());

export async function explain(push) {
  const handset = session.chosen();
  const [report, log] = await Promise.all([session.get(session.own(`/pushes/${session.segment(push)}/explanation`)), deliveryLog(push)]);
  // Another handset was chosen meanwhile.
  if (session.chosen() !== handset) return;
  const dialog = byID("explanation");
  replace(dialog,
    element("div", { class: "dialog-head" }, element("h2", { id: "explanation-title" }, report.rang ? "Why it rang" : "Why it did not ring"),
      element("button", { type: "button", class: "quiet", "aria-label": "Close the explanation", onclick: () => dialog.close() }, "×")),
    element("p", { class: "summary" }, report.summary),
    element("p", { class: "faint" }, element("code", {}, report.push), report.pushes > 1 ? ` (the newest of ${report.pushes} with this identifier)` : ""),
    report.now.length ? element("p", {}, `Now: ${report.now.join("; ")}.`) : null,
    report.decision ? [element("h3", {}, "What decided"), element("ol", { class: "rulings decision" }, ruling(report.decision))] : null,
    element("h3", {}, report.decision ? "All rules, in order" : "Rules"),
    report.rulings.length === 0 ? element("p", { class: "empty" }, "No rule was gone through.") :
      element("ol", { class: "rulings" }, report.rulings.map(ruling)),
    element("h3", {}, "What happened"),
    element("ol", { class: "happened" }, report.events.map((event) =>
      element("li", {}, element("time", {}, clockSeconds(localTime(event.wallMicroseconds))), element("span", {}, sentence(event))))),
    report.eventsLeftOut ? element("p", { class: "faint" }, `${report.eventsLeftOut} more in between`) : null, log);
  if (!dialog.open) dialog.showModal();
}

const ruling = ({ rule, title, outcome, stops }) =>
  element("li", { class: stops.length ? "stops" : "" }, element("span", { class: "rule" }, rule),
    element("span", {}, element("strong", {}, outcome), element("small", {}, title,
      stops.length ? ` · keeps back ${stops.join(", ")}` : "")));
