// A test push, over the network like any provider's, in either protocol; and the same as a command line. It is filled in,
// so that one click rings; rarely used fields are folded away.

import { attempt, button, complain, copyButton, forgive } from "./controls.js";
import { byID, element, replace } from "./elements.js";
import { explain } from "./explanation.js";
import { model, watch } from "./model.js";
import * as session from "./session.js";
import { previewPush } from "./sound.js";
import { LEVELS } from "./tables.js";
import { appSetting } from "./words.js";

/** The level of a push that names none. */
const STANDARD = "active";
const SUGGESTED = { title: "A test push", body: "It came from the web panel.", sound: "default" };

let form, app, sound, listen, result, lines;
let names = "";

export function make() {
  watch(["apps"], update);
  watch(["chosen"], () => { replace(result); replace(lines); form.elements.password.value = ""; });
  const field = (id, label, control, { only = null, wide = false, beside = null } = {}) => {
    control.id = `push-${id}`;
    control.name = id;
    return element("div", { class: `field${wide ? " wide" : ""}`, data: only ? { only } : {} }, element("label", { for: control.id }, label),
      beside ? element("div", { class: "beside" }, control, beside) : control);
  };
  const text = (attributes = {}) => element("input", { type: "text", dir: "auto", autocomplete: "off", ...attributes });
  const options = (...pairs) => element("select", {}, pairs.map(([value, words]) => element("option", { value }, words)));
  const flag = (id, label, { only, help = null, checked = false }) => element("div", { class: "field wide", data: { only } }, element("label", { class: "toggle" },
    element("span", { class: "toggle-words" }, label, help ? element("small", {}, help) : null),
    element("input", { type: "checkbox", role: "switch", name: id, id: `push-${id}`, checked }), element("span", { class: "toggle-track", "aria-hidden": "true" })));
  app = element("select", { required: true });
  sound = element("select");
  listen = button("▶", () => previewPush(sound.value, app.value), { focus: "push listen", label: "Play the sound in this browser" });
  // Screen readers read out the answer only, not the command line.
  result = element("div", { role: "status" });
  lines = element("div");
  form = element("form", {
    class: "composer", onsubmit: submit, oninput: ({ target }) => { target.dataset.isChosen = "true"; },
    onchange: ({ target }) => { target.dataset.isChosen = "true"; follow(); },
  },
    element("div", { class: "wide row compose-head" }, element("h2", { class: "grow", id: "compose-title" }, "Send a push"),
      element("fieldset", { class: "segments" }, element("legend", { class: "unseen" }, "Protocol"),
        radio("via", "apns", "APNs", true), radio("via", "2008", "2008 service"))),
    field("app", "App", app),
    field("sound", "Sound", sound, { beside: listen }),
    field("badge", "Badge", element("input", { type: "number", min: 0, step: 1 })),
    field("title", "Title", text({ maxlength: 500 }), { only: "apns", wide: true }),
    field("body", "Message", element("textarea", { rows: 2, maxlength: 3000, dir: "auto" }), { wide: true }),
    element("div", { class: "wide row finish" }, element("details", { class: "rare" }, element("summary", {}, "More fields"), element("div", { class: "composer" },
      field("subtitle", "Subtitle", text({ maxlength: 500 }), { only: "apns", wide: true }),
      field("level", "Level", options(["", STANDARD], ...LEVELS.filter((level) => level !== STANDARD).map((level) => [level, level])), { only: "apns" }),
      field("threadID", "Thread", text({ maxlength: 64 }), { only: "apns" }),
      field("collapseID", "Replaces (collapse id)", text({ maxlength: 64 }), { only: "apns" }),
      flag("background", "Background update", { only: "apns", help: "Wakes the app. The suggested words are cleared." }),
      flag("openButton", "Button besides Close", { only: "2008", checked: true }),
      element("input", { type: "text", autocomplete: "username", hidden: true }),
      field("password", "Provider's password, if it has one", element("input", { type: "password", autocomplete: "off" }), { only: "2008", wide: true }),
      field("payload", "A payload of your own: JSON, in place of all fields", element("textarea", { rows: 4, spellcheck: "false", class: "code", placeholder: '{"aps": {"alert": "Hello"}}' }), { only: "apns", wide: true }))),
      element("button", { type: "submit", class: "main", id: "push-send" }, "Send"),
      element("button", { type: "button", id: "push-curl", onclick: () => ask(false) }, "Show as curl")),
    element("div", { class: "result", id: "push-result" }, result, lines));
  replace(byID("compose-body"), form);
  follow();
  update();
}

function radio(name, value, words, isChecked = false) {
  return element("label", {}, element("input", { type: "radio", name, value, checked: isChecked }), element("span", {}, words));
}

/** Updates the list of apps. The first that can get a push is chosen until the person chooses. */
function update() {
  const now = JSON.stringify(model.apps.map((each) => [each.id, each.name, each.sounds, each.registration]));
  if (now !== names) {
    names = now;
    const isThere = model.apps.some((each) => each.id === app.value);
    const registered = model.apps.find((each) => each.registration === "registered")?.id;
    const chosen = app.dataset.isChosen && isThere ? app.value : registered ?? model.apps[0]?.id;
    app.replaceChildren(...model.apps.map((each) => element("option", { value: each.id, selected: each.id === chosen },
      each.registration === "registered" ? each.name : `${each.name} (not registered)`)));
    app.disabled = model.apps.length === 0;
    byID("push-send").disabled = byID("push-curl").disabled = app.disabled;
  }
  follow();
}

const protocol = () => new FormData(form).get("via");

/** Updates the fields that depend on the app, the protocol and the kind of push. */
function follow() {
  for (const part of form.querySelectorAll("[data-only]")) part.hidden = part.dataset.only !== protocol();
  const chosen = model.apps.find((each) => each.id === app.value);
  const names = new Set([...(chosen?.sounds ?? []), ...Object.keys(appSetting("default-sound").options)]);
  const sounds = [["", "none"], ["default", "default"], ...[...names].filter((name) => name !== "default").map((name) => [name, name])];
  if (sounds.length !== sound.options.length || sounds.some(([value], index) => sound.options[index].value !== value)) {
    const before = sound.value;
    sound.replaceChildren(...sounds.map(([value, words]) => element("option", { value, selected: value === before }, words)));
  }
  const isSilent = protocol() === "apns" && form.elements.background.checked;
  for (const [name, value] of Object.entries({ ...SUGGESTED, badge: String((chosen?.badge ?? 0) + 1) })) {
    const input = form.elements[name];
    if (!input.dataset.isChosen) input.value = isSilent ? "" : value;
  }
  listen.disabled = sound.value === "";
}

function submit(event) {
  event.preventDefault();
  ask(true);
}

/** Makes the request, without empty fields and those of the other protocol. */
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
    threadID: value("threadID"), collapseID: value("collapseID"), background: fields.has("background") || undefined };
}

/** Wraps a command line to one option a line, as a shell accepts it. Text in quotation marks stays as it is. */
function wrapped(line) {
  return line.split("'").map((part, index) => (index % 2 ? part : part.replaceAll(" --", " \\\n  --").replaceAll(" https:", " \\\n  https:"))).join("'");
}

async function ask(send) {
  const sending = byID("push-send"), showing = byID("push-curl");
  sending.disabled = showing.disabled = true;
  const handset = session.chosen();
  try {
    const report = await session.post(session.own("/pushes"), request(send));
    forgive();
    const why = await detail(report);
    if (session.chosen() === handset) show(report, why);
  } catch (error) {
    replace(result, element("p", { class: "answer bad" }, error.message));
    replace(lines);
    if (error.status === 0) complain(error);
  }
  sending.disabled = showing.disabled = false;
}

/** Returns the daemon's detail of a refusal; the answer to a provider has only the reason. */
async function detail({ status, push }) {
  if (status === undefined || status === 200 || !push) return null;
  const account = await session.get(session.own(`/pushes/${session.segment(push)}/explanation`)).catch(() => null);
  return account?.events.find((event) => event.event === "refused")?.detail ?? null;
}

function show(report, detail) {
  const line = wrapped(report.curl);
  const isAccepted = report.status === 200;
  const answer = report.status === undefined ? null : element("p", { class: `answer ${isAccepted ? "good" : "bad"}` },
    element("span", {}, element("strong", {}, report.status), isAccepted ? " accepted" : ` ${report.reason ?? "refused"}${detail ? `: ${detail}` : ""}`),
    report.push && isAccepted ? element("button", { type: "button", class: "small", id: "push-explain", onclick: () => attempt(() => explain(report.push)) }, "Why did it ring, or not?") : null);
  replace(result, answer);
  replace(lines,
    element("div", { class: "curl" },
      element("div", { class: "row" }, element("h3", {}, "The same with curl"), copyButton(line, { label: "Copy the command line" })),
      element("pre", { tabindex: "0", "aria-label": "The command line" }, element("code", {}, line)),
      report.curl.includes("--connect-to") ? element("p", { class: "faint" }, "The address is one that your certificate is good for; ", element("code", {}, "--connect-to"), " leads it to this machine.") : null,
      report.curl.includes("--cacert ca.pem") ? element("p", { class: "faint" }, "First: ", element("code", {}, "deskbell ca > ca.pem"),
        protocol() === "apns" ? ". The token in it is good for an hour." : "") : null));
}
