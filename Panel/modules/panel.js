// The page: signing in, its parts, and the state of the connection.

import * as apps from "./apps.js";
import * as board from "./board.js";
import * as composer from "./composer.js";
import { attempt, commandLine, complain, forgive, say } from "./controls.js";
import { byID, element, replace } from "./elements.js";
import * as delivery from "./delivery.js";
import * as events from "./events.js";
import * as focus from "./focus.js";
import * as handset from "./handset.js";
import * as keys from "./keys.js";
import { appName, choose, localTime, model, start, watch } from "./model.js";
import * as session from "./session.js";
import * as settings from "./settings.js";
import * as sound from "./sound.js";
import * as surroundings from "./surroundings.js";
import * as usage from "./usage.js";
import { clockSeconds } from "./words.js";

const LIMITS = {
  /** Milliseconds in which notifications gather before they are announced to a screen reader. */
  saying: 1500,
};
const THEMES = { auto: "as the system has them", light: "light", dark: "dark" };
const LINKS = { connecting: "Connecting", live: "Live", lost: "Connection lost; trying again" };

let stop = null;
let isMade = false;

// MARK: Colours

function applyTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byID("theme").setAttribute("aria-label", `Colours: ${THEMES[theme]}`);
  byID("theme").title = `Colours: ${THEMES[theme]}`;
}

let theme = localStorage.getItem("deskbell-panel-theme");
if (!(theme in THEMES)) theme = "auto";
applyTheme(theme);
byID("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES);
  theme = names[(names.indexOf(theme) + 1) % names.length];
  localStorage.setItem("deskbell-panel-theme", theme);
  applyTheme(theme);
});

// MARK: Signing in and out

replace(byID("sign-in-line"), commandLine("deskbell panel"));

async function begin() {
  const token = session.takeToken();
  try {
    if (token) await session.signIn({ token });
    const { isSignedIn, hasPassword } = await session.session();
    if (isSignedIn) return enter();
    ask(hasPassword);
  } catch (error) {
    complain(error);
    const { isSignedIn, hasPassword } = await session.session().catch(() => ({}));
    if (isSignedIn) enter(); else ask(hasPassword);
  }
}

function ask(hasPassword) {
  stop?.();
  stop = null;
  byID("content").hidden = byID("sign-out").hidden = byID("sound").hidden = document.querySelector(".jump").hidden = true;
  byID("handset-choice").hidden = true;
  byID("sign-in").hidden = false;
  byID("sign-in-form").hidden = !hasPassword;
  byID("link").dataset.link = "out";
  byID("link-text").textContent = "Signed out";
  if (hasPassword) byID("password").focus();
}

function enter() {
  byID("sign-in").hidden = true;
  byID("content").hidden = byID("sign-out").hidden = byID("sound").hidden = document.querySelector(".jump").hidden = false;
  if (!isMade) {
    for (const part of [board, handset, surroundings, settings, focus, apps, keys, usage, delivery, composer, events, sound]) part.make();
    isMade = true;
  }
  connect();
}

function connect() {
  stop?.();
  model.link = "connecting";
  showLink();
  stop = start(complain);
}

// MARK: The handset

watch(["handsets"], () => {
  byID("handset-choice").hidden = model.handsets.length < 2;
  const isShown = ({ name, isOnBoard }) => (session.chosen() === null ? isOnBoard : name === session.chosen());
  replace(byID("handset-select"), model.handsets.map((handset) =>
    element("option", { value: handset.name, selected: isShown(handset) }, handset.isOnBoard ? `${handset.name}, on the board` : handset.name)));
});

byID("handset-select").addEventListener("change", () => {
  const { name, isOnBoard } = model.handsets.find((handset) => handset.name === byID("handset-select").value);
  choose(isOnBoard ? null : name);
  connect();
});

/** Hides the content of the handset before until the other one's is read. */
watch(["known"], () => byID("content").classList.toggle("is-unknown", !model.isKnown));

watch(["chosen"], () => {
  document.title = "Deskbell";
  byID("said").textContent = "";
  unsaid = [];
  clearTimeout(saying);
  saying = 0;
  forgive();
});

byID("sign-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    await session.signIn({ password: byID("password").value });
    byID("password").value = "";
    enter();
  });
});

byID("sign-out").addEventListener("click", () => attempt(async () => {
  await session.signOut();
  ask((await session.session()).hasPassword);
}));

session.onSignedOut(async () => {
  const { hasPassword } = await session.session().catch(() => ({}));
  ask(hasPassword);
});

addEventListener("hashchange", () => { if (location.hash.startsWith("#token=")) begin(); });

// MARK: The connection

function showLink() {
  byID("link").dataset.link = model.link;
  byID("link-text").textContent = LINKS[model.link];
  // The content may be old.
  const isStale = model.link === "lost" && model.state !== null;
  byID("content").classList.toggle("is-stale", isStale);
  byID("as-of").hidden = !isStale;
  if (isStale) byID("as-of").textContent = `as of ${clockSeconds(localTime())}`;
  if (model.link === "live") forgive();
}
watch(["link"], showLink);

watch(["state"], () => {
  const { presentation } = model.state;
  document.title = presentation.badge ? `(${presentation.badge}) Deskbell` : "Deskbell";
});

let unsaid = [];
let saying = 0;

/** Announces only the newest of many notifications at once, with their number. */
watch(["events"], () => {
  unsaid.push(...(model.fresh ?? []).filter((event) => event.event === "presented" && event.style !== "none"));
  if (unsaid.length > 0 && !saying) saying = setTimeout(sayWhatCame, LIMITS.saying);
});

function sayWhatCame() {
  const newest = unsaid.at(-1);
  const { alert, banner } = model.state.presentation;
  const note = [alert, banner, ...model.center].find((each) => each?.push === newest.push);
  say([
    unsaid.length > 1 ? `${unsaid.length} notifications, the newest` : null,
    `${appName(newest.app)}: ${newest.style}`, note?.title, note?.body,
  ].filter(Boolean).join(", "));
  unsaid = [];
  saying = 0;
}

begin();
