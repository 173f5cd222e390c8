// Controls that look alike everywhere, and the notice that shows errors in words.

import { byID, element, replace } from "./elements.js";

const LIMITS = {
  /** The characters of a button from which its words may be cut for the eye: they are shown whole beside the pointer. */
  title: 12,
};

let hiding = 0;

/** Shows an error in words, until the next request succeeds or a while has passed. */
export function complain(error) {
  const notice = byID("notice");
  notice.textContent = error.message;
  notice.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { notice.hidden = true; }, 12000);
}

export function forgive() {
  byID("notice").hidden = true;
}

/** Announces a text to a screen reader. */
export function say(text) {
  byID("said").textContent = text;
}

async function copy(text) {
  await navigator.clipboard.writeText(text);
  say("Copied");
}

/** Makes a button that copies the text and announces it. */
export function copyButton(text, { label = null, focus = "copy" } = {}) {
  return button("Copy", () => copy(text), { kind: "small", focus, label });
}

/** Makes a line for a terminal. */
export function commandLine(text) {
  return element("div", { class: "command" }, element("pre", { class: "line" }, element("code", {}, text)),
    copyButton(text, { label: `Copy: ${text}`, focus: `copy ${text}` }));
}

/** Carries out a request of the person, and shows its error. */
export async function attempt(body) {
  try {
    const result = await body();
    forgive();
    return result;
  } catch (error) {
    complain(error);
    return undefined;
  }
}

/** Asks before something that cannot be undone. Returns true if the person wants it. */
export function confirmed(question, yes) {
  const dialog = byID("question");
  const answer = (isWanted) => () => dialog.close(isWanted ? "yes" : "");
  dialog.returnValue = "";
  replace(dialog, element("p", { id: "question-words" }, question), element("div", { class: "row answers" },
    element("button", { type: "button", autofocus: true, onclick: answer(false) }, "Cancel"),
    element("button", { type: "button", class: "danger", onclick: answer(true) }, yes)));
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}

/** Makes a switch with its words. `change` gets the new value and sends it; if that fails, or is false, the switch goes back. */
export function toggle(label, isOn, change, { help = null, focus = label, disabled = false } = {}) {
  const input = element("input", {
    type: "checkbox", role: "switch", checked: isOn, disabled, data: { focus },
    onchange: async () => {
      const wanted = input.checked;
      input.disabled = true;
      if (!(await attempt(async () => (await change(wanted)) !== false))) input.checked = !wanted;
      input.disabled = disabled;
      input.focus({ preventScroll: true });
    },
  });
  return element("label", { class: "toggle" },
    element("span", { class: "toggle-words" }, label, help ? element("small", {}, help) : null), input,
    element("span", { class: "toggle-track", "aria-hidden": "true" }));
}

/** Makes a choice from a few words. */
export function choice(label, options, value, change, { focus = label } = {}) {
  const select = element("select", {
    data: { focus },
    onchange: async () => {
      if (!(await attempt(async () => { await change(select.value); return true; }))) select.value = value;
    },
  }, Object.entries(options).map(([key, words]) => element("option", { value: key, selected: key === value }, words)));
  return element("label", { class: "choice" }, element("span", {}, label), select);
}

/** Makes a slider of a percentage, shown as it is written: `40%`. */
export function percentage(label, value, change, { focus = label } = {}) {
  const number = (text) => Number(text.replace("%", ""));
  const shown = element("output", {}, value);
  const input = element("input", {
    type: "range", min: 0, max: 100, step: 5, value: number(value), "aria-valuetext": value, data: { focus },
    oninput: () => { shown.textContent = `${input.value}%`; input.setAttribute("aria-valuetext", shown.textContent); },
    onchange: async () => {
      if (await attempt(async () => { await change(`${input.value}%`); return true; })) return;
      input.value = number(value);
      shown.textContent = value;
    },
  });
  return element("label", { class: "choice" }, element("span", {}, label), element("span", { class: "row" }, input, shown));
}

/** Returns the text of a number of things: `1,000 notifications`. */
export const counted = (number, one) => `${number.toLocaleString("en-GB")} ${one}${number === 1 ? "" : "s"}`;

export function button(words, press, { kind = "", focus = words, label = null } = {}) {
  return element("button", { type: "button", class: kind, data: { focus }, "aria-label": label, title: words.length > LIMITS.title ? words : null, onclick: () => attempt(press) }, words);
}
