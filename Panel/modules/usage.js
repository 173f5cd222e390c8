// The use of each limit: notifications, texts and events of all apps, then the apps and the providers that have most.

import { byID, element, show } from "./elements.js";
import { model, watch } from "./model.js";

export function make() {
  watch(["state"], draw);
}

function draw() {
  const { usage } = model.state;
  if (!usage) return;
  show(byID("usage"), usage, () => [
    row("th", "Kept of", "Notifications", "Texts", "Events"),
    row("td", "all apps", count(usage.notifications), size(usage.bytes), count(usage.events)),
    ...usage.apps.map((app) => row("td", app.app, count(app.notifications), size(app.bytes), "")),
    ...(usage.providers.length ? [row("th", "Provider", "Connections", "Requests", "Too many")] : []),
    ...usage.providers.map((each) => row("td", each.provider, count(each.connections),
      each.requests.toLocaleString("en-GB"), each.refusedRequests.toLocaleString("en-GB"))),
  ]);
}

const row = (tag, ...cells) => element("tr", {}, ...cells.map((cell) => element(tag, {}, cell)));

const count = (quota) => `${quota.used.toLocaleString("en-GB")} of ${quota.limit.toLocaleString("en-GB")}`;

const size = (quota) => `${(Math.ceil(quota.used / 104857.6) / 10).toFixed(1)} of ${quota.limit / 1048576} MB`;
