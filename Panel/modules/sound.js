// The handset's sounds in this browser too, if the person wants that. Browsers play nothing before a click or a key.

import { attempt, button, choice } from "./controls.js";
import { byID, element, icon, show } from "./elements.js";
import { localTime, model, watch } from "./model.js";
import * as session from "./session.js";

const PLACE = "deskbell-panel-sound";
const LIMITS = {
  /** The number of sounds that are kept, so that a frequent one is requested once. */
  kept: 8,
  /** Milliseconds after which a sound is too late, because the connection was lost meanwhile. */
  late: 5000,
};

/** The reason of a sound that the handset's speaker did not play because it does not work. */
const LOST = "speaker-lost";

let isOn = localStorage.getItem(PLACE) === "on";
let output = null;
let playing = null;
/** True if the browser waited for the last click or key. */
let wasWaiting = false;
/** The sounds by path, oldest first. */
const sounds = new Map();

export function make() {
  byID("sound").addEventListener("click", () => attempt(async () => {
    // A click on "Click for sound" does not switch it off.
    if (!wasWaiting) isOn = !isOn;
    wasWaiting = false;
    localStorage.setItem(PLACE, isOn ? "on" : "off");
    if (isOn) await unlock(); else stop();
    draw();
  }));
  for (const gesture of ["pointerdown", "keydown"]) {
    addEventListener(gesture, () => {
      wasWaiting = isWaiting();
      if (wasWaiting) unlock().then(draw, () => {});
    });
  }
  watch(["events"], follow);
  watch(["chosen"], () => { stop(); sounds.clear(); });
  draw();
}

const isWaiting = () => isOn && output?.state !== "running";

function draw() {
  byID("sound").setAttribute("aria-pressed", String(isOn));
  byID("sound").title = isWaiting() ? "The browser plays sounds after a click on the page" : "Plays the handset's sounds in this browser";
  show(byID("sound"), [isOn, isWaiting()], () => [icon(isOn ? "speaker" : "silent"), element("span", {}, isWaiting() ? "Click for sound" : "Sound here")]);
}

/** Starts the output, which browsers allow only after a click or a key. */
async function unlock() {
  output ??= new AudioContext();
  if (output.state === "suspended") await output.resume();
}

/** Plays the sounds of new events. A working speaker reports their begin and end; without one, the events of presented
 *  notifications name them. */
function follow() {
  const fresh = model.fresh ?? [];
  if (fresh.some(({ event }) => event === "installed")) sounds.clear();
  if (!isOn || output?.state !== "running") return;
  const hasSpeaker = model.state?.isOnBoard && model.state.devices.some((device) => device.name === "speaker" && device.works);
  for (const event of fresh) {
    if (localTime() - localTime(event.wallMicroseconds) > LIMITS.late) continue;
    if (event.event === "sound-started" && hasSpeaker) play(event.name, appOf(event), event.push);
    if (event.event === "sound-ended" && event.reason !== "finished" && event.push === playing?.push) stop();
    if (event.event === "presented" && event.sound && (event.silenced ?? LOST) === LOST && !hasSpeaker) play(event.sound, event.app, event.push);
  }
}

/** Returns the app of a sound; undefined if no push caused it. */
export const appOf = (event) => event.app ?? model.events.find((other) => other.push === event.push && other.app)?.app;

/** Returns the path of the `waveform` or `audio` of an app's or a shipped sound. */
export function pathOf(name, app, what) {
  const query = model.apps.some((known) => known.id === app) ? `?app=${session.segment(app)}` : "";
  return session.own(`/sounds/${session.segment(name)}/${what}${query}`);
}

/** Plays a sound at the volume of the app `heard`: a default sound belongs to no app. */
async function play(name, app, push, heard = app) {
  stop();
  const source = new AudioBufferSourceNode(output);
  const mine = playing = { source, push };
  const volume = model.apps.find((known) => known.id === heard)?.settings.find(({ key }) => key === "volume")?.value;
  const buffer = await decoded(pathOf(name, app, "audio")).catch(() => null);
  // Another sound may have begun while this one was requested.
  if (playing !== mine || !buffer) return;
  source.buffer = buffer;
  source.connect(new GainNode(output, { gain: share(volume) * share(handsetVolume()) })).connect(output.destination);
  source.start();
}

/** Returns the handset's volume. The display is dimmed in night hours. */
function handsetVolume() {
  const { volume, "night-volume": night } = model.settings;
  return model.state?.presentation.dimmed && night?.endsWith("%") ? night : volume;
}

/** Returns the share of the amplitude: 0.4 for `40%`, 1 if it is not set. */
const share = (percent) => (percent === undefined ? 1 : Number.parseInt(percent, 10) / 100);

/** Plays a sound because the person wants to hear it, in answer to a click. Silence and quiet hours do not matter. */
async function preview(name, app, heard = app) {
  await unlock();
  await decoded(pathOf(name, app, "audio"));
  await play(name, app, null, heard);
}

/** Plays the sound that a push of the app with that sound would play. */
export const previewPush = (name, app) => (name === "default" ? preview(defaultOf(app), null, app) : preview(name, app));

const defaultOf = (app) => {
  const own = model.apps.find(({ id }) => id === app)?.settings.find(({ key }) => key === "default-sound")?.value ?? "default";
  return own === "default" ? model.settings["default-sound"] ?? own : own;
};

/** The choices of a sound that are unfolded. */
const opened = new Set();

/** Makes a choice of a sound, each of which can be played before it is chosen. */
export function soundChoice(label, options, value, change, { focus, app = null }) {
  const listen = element("details", {
    class: "listen", open: opened.has(focus), ontoggle: () => { if (listen.open) opened.add(focus); else opened.delete(focus); },
  }, element("summary", { data: { focus: `${focus} listen` } }, "Listen first"),
    element("div", { class: "row", role: "group", "aria-label": `${label}: listen` }, Object.entries(options).map(([name, words]) =>
      button(`▶ ${words}`, () => preview(app && name === "default" ? model.settings["default-sound"] ?? name : name, null, app), { kind: "small", focus: `${focus} play ${name}`, label: `Play ${words} in this browser` }))));
  return element("div", {}, choice(label, options, value, change, { focus }), listen);
}

function stop() {
  if (playing?.source.buffer) playing.source.stop();
  playing = null;
}

function decoded(path) {
  const known = sounds.get(path);
  if (known) return known;
  if (sounds.size === LIMITS.kept) sounds.delete(sounds.keys().next().value);
  const coming = session.bytes(path).then((bytes) => output.decodeAudioData(bytes));
  coming.catch(() => sounds.delete(path));
  sounds.set(path, coming);
  return coming;
}
