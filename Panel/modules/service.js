// What is not on the handset yet: what waits in the service until it is fetched, and what is kept for later.

import { button, counted, say } from "./controls.js";
import { element } from "./elements.js";
import { appName, model } from "./model.js";
import * as session from "./session.js";
import { ago, momentText } from "./words.js";

const LIMITS = {
  /** The pixels by which a finger pulls the list to fetch, and the most by which the list follows it. */
  pull: 64, follow: 96,
};

/** Fetches what waits, of one app or of all. */
export async function fetchWaiting(app = null) {
  const { fetched } = await session.post(session.own("/fetch"), app ? { app } : {});
  say(fetched === 0 ? "Nothing waited" : `${counted(fetched, "push").replace("pushs", "pushes")} fetched`);
}

const hasService = () => Array.isArray(model.state.waiting);

/** Returns what the rows depend on. */
export const laterFacts = () => [model.state.waiting, model.state.summary, model.state.deferred];

/** Makes rows for what waits in the service, in the summary, and until there is power. */
export function later() {
  const { waiting, summary, deferred } = model.state;
  // Those for the summary are deferred, too.
  const lowPower = (deferred ?? 0) - (summary?.count ?? 0);
  return [
    hasService() ? service(waiting) : null,
    summary?.count ? line(`${counted(summary.count, "notification")} in the summary`, summary.nextWallMicroseconds ? `next at ${momentText(summary.nextWallMicroseconds)}` : null) : null,
    lowPower > 0 ? line(`${counted(lowPower, "notification")} deferred`, "until there is more power") : null,
  ];
}

const line = (words, detail) => element("p", { class: "later" }, words, detail ? element("small", {}, detail) : null);

function service(waiting) {
  const apps = [...new Set(waiting.map(({ app }) => app))];
  return element("div", { class: "later service", role: "group", "aria-label": "In the service" },
    element("div", { class: "later-head" },
      element("span", {}, waiting.length === 0 ? "Nothing waits in the service" : `${counted(waiting.length, "push").replace("pushs", "pushes")} in the service`),
      button("Fetch", () => fetchWaiting(), { kind: "glassy small", focus: "fetch", label: "Fetch what waits in the service" })),
    waiting[0]?.until ? element("small", {}, `fetched at ${momentText(waiting[0].until)}`) : null,
    waiting.length === 0 ? null : element("ul", {}, apps.map((app) => {
      const own = waiting.filter((each) => each.app === app);
      const nodes = own.map(({ node }) => node).filter(Boolean);
      return element("li", {}, element("span", { dir: "auto" }, appName(app)),
        element("small", {}, [nodes.join(", "), own[0].since ? ago(own[0].since) : null].filter(Boolean).join(" · ")),
        apps.length > 1 ? button("Fetch", () => fetchWaiting(app), { kind: "glassy small", focus: `fetch ${app}`, label: `Fetch what waits for ${appName(app)}` }) : null);
    })));
}

/** Fetches when a finger pulls the list down from its beginning. The button does the same. */
export function makePull(list, attempt) {
  let from = null, pulled = 0;
  const mark = element("p", { class: "pull", "aria-hidden": "true" });
  list.before(mark);
  const show = (pixels) => {
    pulled = pixels;
    mark.style.setProperty("height", `${pixels}px`);
    mark.textContent = pixels === 0 ? "" : pixels >= LIMITS.pull ? "Release to fetch" : "Pull to fetch";
  };
  list.addEventListener("touchstart", ({ touches }) => {
    from = model.state && hasService() && list.scrollTop === 0 && touches.length === 1 ? touches[0].clientY : null;
  }, { passive: true });
  list.addEventListener("touchmove", (event) => {
    if (from === null) return;
    const moved = event.touches[0].clientY - from;
    if (moved > 0 && event.cancelable) event.preventDefault();
    show(Math.max(0, Math.min(moved / 2, LIMITS.follow)));
  }, { passive: false });
  const end = (isDone) => () => {
    if (from !== null && isDone && pulled >= LIMITS.pull) attempt(() => fetchWaiting());
    from = null;
    show(0);
  };
  list.addEventListener("touchend", end(true));
  list.addEventListener("touchcancel", end(false));
}
