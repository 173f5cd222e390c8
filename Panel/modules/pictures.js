// Pictures of apps' bundles. An <img> cannot send the session's key, so they are requested, and shown from memory.

import { element } from "./elements.js";
import { model, watch } from "./model.js";
import * as session from "./session.js";

/** The addresses of pictures in memory, by their paths. */
const held = new Map();
/** How often each app was installed since the page was opened: a new bundle may have other pictures. */
const installations = new Map();

watch(["events"], () => {
  for (const { event, app } of model.fresh ?? []) if (event === "installed" || event === "uninstalled") forget(app);
});
watch(["chosen"], () => { for (const path of [...held.keys()]) release(path); });

function forget(app) {
  installations.set(app, (installations.get(app) ?? 0) + 1);
  for (const path of [...held.keys()]) if (path.includes(`/apps/${session.segment(app)}/`)) release(path);
}

function release(path) {
  held.get(path)?.then((url) => { if (url) URL.revokeObjectURL(url); });
  held.delete(path);
}

/** Returns the address of a picture in memory; null if it cannot be read. */
function addressOf(path) {
  if (!held.has(path)) {
    held.set(path, session.bytes(path).then((bytes) => URL.createObjectURL(new Blob([bytes], { type: "image/png" })), () => null));
  }
  return held.get(path);
}

/** Makes an image that is there as soon as it is read, and never if it cannot be shown. */
function picture(path, attributes) {
  const image = element("img", { ...attributes, hidden: true, onload: () => { image.hidden = false; }, onerror: () => image.remove() });
  addressOf(path).then((url) => { if (url) image.src = url; else image.remove(); });
  return image;
}

const path = (app, ...rest) => session.own(["/apps", session.segment(app), ...rest.map(session.segment)].join("/"));
const appOf = (id) => model.apps.find((app) => app.id === id);

/** Makes the mark of an app: its icon, or its first letter in a colour that is the same everywhere. */
export function appMark(id, name) {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + character.codePointAt(0)) % 360;
  return element("span", { class: `app-mark hue-${Math.floor(sum / 30)}`, "aria-hidden": "true" }, name.charAt(0).toUpperCase(),
    appOf(id)?.icon ? picture(path(id, "icon"), { alt: "", class: "app-picture" }) : null);
}

/** Returns what changes when an app's icon does. */
export const iconFacts = () => model.apps.map(({ id, icon }) => (icon ? `${id} ${installations.get(id) ?? 0}` : null)).filter(Boolean);

// MARK: Launch images

const LIMITS = {
  /** The notifications whose launch images are remembered. */
  known: 500,
};

/** The notifications with a launch image or with actions that open their app, by their pushes. */
const known = new Map();
/** The launch images that are shown, by app. */
const launches = new Map();

watch(["center", "state"], () => {
  const { alert, banner } = model.state?.presentation ?? {};
  for (const note of [...model.center, banner, alert]) if (note?.launchImage) known.set(note.push, note);
  while (known.size > LIMITS.known) known.delete(known.keys().next().value);
});
watch(["chosen"], () => { known.clear(); launches.clear(); });
watch(["events"], () => {
  for (const event of model.fresh ?? []) {
    if (event.event === "lifecycle" && event.state !== "foreground") launches.delete(event.app);
    if (!["answered", "responded"].includes(event.event) || !opens(event)) continue;
    const image = known.get(event.push)?.launchImage;
    if (image) launches.set(event.app, image); else launches.delete(event.app);
  }
});

/** The action that opens a notification. */
const OPEN = "com.apple.UNNotificationDefaultActionIdentifier";

const opens = (event) => (event.event === "answered" ? event.button === "view" : event.action === OPEN ||
  known.get(event.push)?.actions?.some(({ id, opensApp }) => id === event.action && opensApp));

/** Returns the name of the launch image of the notification that opened the app; null for none that the app has. */
export function launchImageOf({ id, launchImages = [] }) {
  const name = launches.get(id);
  return launchImages.includes(name) ? name : null;
}

export const launchImage = (app, name) => picture(path(app.id, "launch-image", name), { alt: `Launch image of ${app.name}`, class: "launch-image" });
