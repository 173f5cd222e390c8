// Topics and hooks of the handset that is shown: names with an access key, by which curl and other programs ring an app.

import { attempt, button, commandLine, confirmed, say } from "./controls.js";
import { byID, element, replace, show } from "./elements.js";
import { appName, model, refresh, shownHandset, watch } from "./model.js";
import * as session from "./session.js";

const WAYS = {
  topic: ["Topic", "for a line of curl, and for programs that know ntfy or Gotify"],
  hook: ["Hook", "an address that a service calls, such as GitHub or Grafana"],
};
const TEMPLATE = "plain";

let list, form, made, name, app, template;

export function make() {
  list = element("div");
  made = element("div", { role: "status" });
  name = element("input", { type: "text", id: "key-name", required: true, maxlength: 64, autocomplete: "off", spellcheck: "false", placeholder: "parcels" });
  app = element("select", { id: "key-app", required: true, onchange: () => { app.dataset.isChosen = "true"; } });
  template = element("select", { id: "key-template" });
  form = element("form", { class: "key-form", onsubmit: submit, onchange: follow },
    element("fieldset", { class: "segments" }, element("legend", { class: "unseen" }, "Kind"), Object.entries(WAYS).map(([way, [words]]) =>
      element("label", {}, element("input", { type: "radio", name: "way", value: way, checked: way === "topic" }), element("span", {}, words)))),
    element("p", { class: "faint", id: "key-help" }),
    element("div", { class: "field" }, element("label", { for: "key-name" }, "Name"), name),
    element("div", { class: "field" }, element("label", { for: "key-app" }, "Rings"), app),
    element("div", { class: "field", id: "key-reads" }, element("label", { for: "key-template" }, "Reads"), template),
    element("button", { type: "submit", class: "main", id: "key-make" }, "Make"));
  replace(byID("keys-body"), list, made, form);
  watch(["keys", "apps", "handsets"], draw);
  watch(["chosen"], () => replace(made));
  // No event reports topics and hooks that were made in a terminal meanwhile.
  document.addEventListener("visibilitychange", () => { if (!document.hidden && model.link === "live") refresh("keys").catch(() => {}); });
  follow();
}

const chosenWay = () => new FormData(form).get("way");

const path = (way, ...rest) => ["/v1", `${way}s`, ...rest.map(session.segment)].join("/");

/** Returns true if the key is of the handset that is shown. A key without a handset's name is of the one on the board. */
const isShown = ({ handset }) => (handset ?? model.handsets.find(({ isOnBoard }) => isOnBoard)?.name) === shownHandset();

function draw() {
  const keys = Object.keys(WAYS).flatMap((way) => model.keys[way].filter(isShown).map((key) => ({ ...key, way })));
  const apps = model.apps.map(({ id, name, registration }) => [id, name, registration === "registered"]);
  show(list, [keys, apps], () => (keys.length === 0
    ? element("p", { class: "empty" }, "There is none yet. With one, any program rings an app in one line.")
    : element("ul", { class: "keys" }, keys.map(row))));
  if (app.dataset.apps !== JSON.stringify(apps)) {
    app.dataset.apps = JSON.stringify(apps);
    // The first app that can ring is chosen until the person chooses.
    const before = apps.some(([id]) => id === app.value) && app.dataset.isChosen ? app.value : (apps.find(([, , isRegistered]) => isRegistered) ?? apps[0])?.[0];
    app.replaceChildren(...apps.map(([id, words, isRegistered]) =>
      element("option", { value: id, selected: id === before }, isRegistered ? words : `${words} (not registered)`)));
  }
  if (template.options.length !== model.keys.templates.length) {
    template.replaceChildren(...model.keys.templates.map((each) => element("option", { value: each, selected: each === TEMPLATE }, each)));
  }
  byID("key-make").disabled = apps.length === 0;
}

function follow() {
  byID("key-help").textContent = `${WAYS[chosenWay()][0]}: ${WAYS[chosenWay()][1]}.`;
  byID("key-reads").hidden = chosenWay() !== "hook";
}

function row({ way, name, app, template }) {
  const what = `${way} ${name}`;
  return element("li", {},
    element("span", { class: "key-words" }, element("strong", {}, name), element("small", {}, `${WAYS[way][0]}, rings ${appName(app)}${template ? `, reads ${template}` : ""}`)),
    element("span", { class: "key-buttons" }, button("New key", async () => {
      if (!await confirmed(`With a new key the old one of the ${what} rings nothing any more.`, "Make a new key")) return;
      reveal(way, await session.post(path(way, name, "key")));
    }, { kind: "small", focus: `key ${what}`, label: `New key of the ${what}` }),
    button("Remove", async () => {
      if (!await confirmed(`The key of the ${what} then rings nothing any more.`, `Remove the ${what}`)) return;
      await session.remove(path(way, name));
      replace(made);
      await refresh("keys");
    }, { kind: "small", focus: `remove ${what}`, label: `Remove the ${what}` })));
}

function submit(event) {
  event.preventDefault();
  attempt(async () => {
    const way = chosenWay();
    await refresh("keys");
    if (model.keys[way].some((key) => key.name === name.value)) {
      throw new Error(`There is a ${way} ${name.value} already. Choose another name, or remove it first.`);
    }
    const report = await session.put(path(way, name.value), {
      app: app.value, handset: session.chosen() ?? undefined, template: way === "hook" ? template.value : undefined,
    });
    name.value = "";
    reveal(way, report);
    await refresh("keys");
  });
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the line of curl that rings it. The pin replaces the authority, which another machine does not know. */
export function curlLine(way, { url, key, pin }, isPlain = false) {
  const words = ["curl"];
  if (pin && !isPlain) words.push("-k", "--pinnedpubkey", quoted(pin));
  if (way === "topic") words.push("-H", quoted(`Authorization: Bearer ${key}`));
  return [...words, "-d", "'Hello'", url].join(" ");
}

/** Shows a new key. It is not shown again. */
function reveal(way, report) {
  replace(made, element("div", { class: "made" },
    element("p", {}, element("strong", {}, `${WAYS[way][0]} ${report.name}`), way === "hook" ? " is there. Its address is its key, and is shown this once:" : " is there. Its key is shown this once:"),
    commandLine(way === "hook" ? report.url ?? report.httpURL ?? report.key : report.key),
    report.url ? [element("p", {}, "Ring it from any machine on the network:"), commandLine(curlLine(way, report))] : null,
    report.httpURL ? [element("p", {}, "Or without TLS:"), commandLine(curlLine(way, { ...report, url: report.httpURL }, true))] : null,
    way === "topic" ? element("p", { class: "faint" }, "Programs that know ntfy want it as access token, those that know Gotify as application token.") : null,
    element("button", { type: "button", class: "small", onclick: () => { replace(made); name.focus(); } }, "Done")));
  say(`${WAYS[way][0]} ${report.name} is there; its key is shown once`);
}
