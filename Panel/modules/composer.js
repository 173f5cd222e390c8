// A test push, over the network like any provider's, in either protocol; and the same as a command line.

import { attempt, complain, forgive, say } from "./controls.js";
import { byID, element, replace } from "./elements.js";
import { explain } from "./explanation.js";
import { model, watch } from "./model.js";
import * as session from "./session.js";

let form, app, sound, result, lines;
let names = "";

export function make() {
  watch(["apps"], update);
  const field = (id, label, control, { only = null, wide = false } = {}) => {
    control.id = `push-${id}`;
    control.name = id;
    return element("div", { class: `field${wide ? " wide" : ""}`, data: only ? { only } : {} }, element("label", { for: control.id }, label), control);
  };
  const text = (attributes = {}) => element("input", { type: "text", autocomplete: "off", ...attributes });
  const options = (...pairs) => element("select", {}, pairs.map(([value, words]) => element("option", { value }, words)));
  app = element("select", { required: true, onchange: updateSounds });
  sound = element("select");
  // Screen readers read out the answer only, not the command line.
  result = element("div", { role: "status" });
  lines = element("div");
  form = element("form", { class: "composer", onsubmit: submit, onchange: showProtocol },
    element("div", { class: "field wide segments-field" },
      element("fieldset", { class: "segments" }, element("legend", { class: "unseen" }, "Protocol"),
        radio("via", "apns", "APNs", true), radio("via", "2008", "2008 service"))),
    field("app", "App", app, { wide: true }),
    field("title", "Title", text({ maxlength: 500 }), { only: "apns" }),
    field("subtitle", "Subtitle", text({ maxlength: 500 }), { only: "apns" }),
    field("body", "Message", element("textarea", { rows: 2, maxlength: 3000 }), { wide: true }),
    field("badge", "Badge", element("input", { type: "number", min: 0, step: 1 })),
    field("sound", "Sound", sound),
    field("level", "Level", options(["", "active"], ["passive", "passive"], ["time-sensitive", "time-sensitive"], ["critical", "critical"]), { only: "apns" }),
    field("collapseID", "Replaces (collapse id)", text({ maxlength: 64 }), { only: "apns" }),
    element("div", { class: "field wide", data: { only: "apns" } }, element("label", { class: "toggle" },
      element("span", { class: "toggle-words" }, "Background update"), element("input", { type: "checkbox", role: "switch", name: "background", id: "push-background" }),
      element("span", { class: "toggle-track", "aria-hidden": "true" }))),
    element("div", { class: "field", data: { only: "2008" } }, element("label", { class: "toggle" },
      element("span", { class: "toggle-words" }, "Button besides Close"), element("input", { type: "checkbox", role: "switch", name: "openButton", id: "push-openButton", checked: true }),
      element("span", { class: "toggle-track", "aria-hidden": "true" }))),
    element("input", { type: "text", autocomplete: "username", hidden: true }),
    field("password", "Provider's password, if it has one", element("input", { type: "password", autocomplete: "off" }), { only: "2008" }),
    element("details", { class: "wide raw", data: { only: "apns" } }, element("summary", {}, "Payload of your own"),
      field("payload", "JSON, in place of the fields above", element("textarea", { rows: 4, spellcheck: "false", class: "code", placeholder: '{"aps": {"alert": "Hello"}}' }), { wide: true })),
    element("div", { class: "wide row actions" },
      element("button", { type: "submit", class: "main", id: "push-send" }, "Send"),
      element("button", { type: "button", id: "push-curl", onclick: () => ask(false) }, "Show as curl")),
    element("div", { class: "result", id: "push-result" }, result, lines));
  replace(byID("compose-body"), form);
  showProtocol();
  update();
}

function radio(name, value, words, isChecked = false) {
  return element("label", {}, element("input", { type: "radio", name, value, checked: isChecked }), element("span", {}, words));
}

function update() {
  const now = JSON.stringify(model.apps.map((each) => [each.id, each.name, each.sounds]));
  if (now === names) return;
  names = now;
  const chosen = app.value;
  app.replaceChildren(...model.apps.map((each) => element("option", { value: each.id, selected: each.id === chosen }, each.name)));
  app.disabled = model.apps.length === 0;
  byID("push-send").disabled = byID("push-curl").disabled = app.disabled;
  updateSounds();
}

function updateSounds() {
  const chosen = sound.value;
  const sounds = model.apps.find((each) => each.id === app.value)?.sounds ?? [];
  sound.replaceChildren(...[["", "none"], ["default", "default"], ...sounds.map((name) => [name, name])].map(([value, words]) =>
    element("option", { value, selected: value === chosen }, words)));
}

const protocol = () => new FormData(form).get("via");

function showProtocol() {
  for (const part of form.querySelectorAll("[data-only]")) part.hidden = part.dataset.only !== protocol();
}

function submit(event) {
  event.preventDefault();
  ask(true);
}

/** Empty fields are left out, and so are those of the other protocol. */
function request(send) {
  const fields = new FormData(form);
  const value = (name) => fields.get(name) || undefined;
  const badge = value("badge");
  const common = { app: app.value, via: protocol(), send };
  const parts = { body: value("body"), badge: badge === undefined ? undefined : Number(badge), sound: value("sound") };
  if (protocol() === "2008") {
    return { ...common, ...parts, password: value("password"), showsOpenButton: fields.has("openButton") ? undefined : false };
  }
  if (value("payload")) return { ...common, payload: value("payload"), collapseID: value("collapseID") };
  return { ...common, ...parts, title: value("title"), subtitle: value("subtitle"), level: value("level"),
    collapseID: value("collapseID"), background: fields.has("background") || undefined };
}

/** One option a line, as a shell accepts it too. Text in quotation marks stays as it is. */
function wrapped(line) {
  return line.split("'").map((part, index) => (index % 2 ? part : part.replaceAll(" --", " \\\n  --").replaceAll(" https:", " \\\n  https:"))).join("'");
}

async function ask(send) {
  const sending = byID("push-send"), showing = byID("push-curl");
  sending.disabled = showing.disabled = true;
  try {
    const report = await session.post(session.own("/pushes"), request(send));
    forgive();
    show(report);
  } catch (error) {
    replace(result, element("p", { class: "answer bad" }, error.message));
    replace(lines);
    if (error.status === 0) complain(error);
  }
  sending.disabled = showing.disabled = false;
}

function show(report) {
  const line = wrapped(report.curl);
  const isAccepted = report.status === 200;
  const answer = report.status === undefined ? null : element("p", { class: `answer ${isAccepted ? "good" : "bad"}` },
    element("span", {}, element("strong", {}, report.status), isAccepted ? " accepted" : ` ${report.reason ?? "refused"}`),
    report.push && isAccepted ? element("button", { type: "button", class: "small", id: "push-explain", onclick: () => attempt(() => explain(report.push)) }, "Why did it ring, or not?") : null);
  replace(result, answer);
  replace(lines,
    element("div", { class: "curl" },
      element("div", { class: "row" }, element("h3", {}, "The same with curl"),
        element("button", { type: "button", class: "small", onclick: () => attempt(async () => { await navigator.clipboard.writeText(line); say("Copied"); }) }, "Copy")),
      element("pre", { tabindex: "0", "aria-label": "The command line" }, element("code", {}, line)),
      report.curl.includes("--connect-to") ? element("p", { class: "faint" }, "The address is one that your certificate is good for; ", element("code", {}, "--connect-to"), " leads it to this machine.") : null,
      report.curl.includes("--cacert ca.pem") ? element("p", { class: "faint" }, "First: ", element("code", {}, "deskbell ca > ca.pem"),
        protocol() === "apns" ? ". The token in it is good for an hour." : "") : null));
}
