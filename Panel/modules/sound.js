// The handset's sounds in this browser too, if the person wants that. Browsers play nothing before a click or a key.

import { attempt, button, choice } from "./controls.js";
import { byID, element, icon, show } from "./elements.js";
import { localTime, model, watch } from "./model.js";
import * as session from "./session.js";

const PLACE = "deskbell-panel-sound";
const LIMITS = {
  /** Sounds that are kept, so that one that comes often is requested once. */
  kept: 8,
  /** Milliseconds after which a sound is too late: the connection was lost meanwhile. */
  late: 5000,
};

let isOn = localStorage.getItem(PLACE) === "on";
let output = null;
let playing = null;
/** Whether the last click or key was what the browser waited for. */
let wasWaiting = false;
/** By path, oldest first. */
const sounds = new Map();

export function make() {
  byID("sound").addEventListener("click", () => attempt(async () => {
    // "Click for sound" is no wish to switch it off.
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

/** In answer to a click or a key. */
async function unlock() {
  output ??= new AudioContext();
  if (output.state === "suspended") await output.resume();
}

/** A speaker that works says when it begins and ends; without one, what is presented says what would sound. */
function follow() {
  const fresh = model.fresh ?? [];
  if (fresh.some(({ event }) => event === "installed")) sounds.clear();
  if (!isOn || output?.state !== "running") return;
  const hasSpeaker = model.state?.isOnBoard && model.state.devices.some((device) => device.name === "speaker" && device.works);
  for (const event of fresh) {
    if (localTime() - localTime(event.wallMicroseconds) > LIMITS.late) continue;
    if (event.event === "sound-started" && hasSpeaker) play(event.name, appOf(event), event.push);
    if (event.event === "sound-ended" && event.reason !== "finished" && event.push === playing?.push) stop();
    if (event.event === "presented" && event.sound && !hasSpeaker) play(event.sound, event.app, event.push);
  }
}

/** Of a sound; undefined for one that is no push's. */
export const appOf = (event) => event.app ?? model.events.find((other) => other.push === event.push && other.app)?.app;

/** The path of a sound's `waveform` or `audio`, as the app has it, or the system. */
export function pathOf(name, app, what) {
  const query = model.apps.some((known) => known.id === app) ? `?app=${session.segment(app)}` : "";
  return session.own(`/sounds/${session.segment(name)}/${what}${query}`);
}

/** At the volume of the app `heard`: a default sound is no app's own. */
async function play(name, app, push, heard = app) {
  stop();
  const source = new AudioBufferSourceNode(output);
  const mine = playing = { source, push };
  const volume = model.apps.find((known) => known.id === heard)?.settings.find(({ key }) => key === "volume")?.value;
  const buffer = await decoded(pathOf(name, app, "audio")).catch(() => null);
  // Another one may have come while this one was requested.
  if (playing !== mine || !buffer) return;
  source.buffer = buffer;
  source.connect(new GainNode(output, { gain: share(volume) * share(handsetVolume()) })).connect(output.destination);
  source.start();
}

/** The display is dimmed in night hours. */
function handsetVolume() {
  const { volume, "night-volume": night } = model.settings;
  return model.state?.presentation.dimmed && night?.endsWith("%") ? night : volume;
}

/** Of the amplitude: `40%` is 0.4, and what is not set is all of it. */
const share = (percent) => (percent === undefined ? 1 : Number.parseInt(percent, 10) / 100);

/** Plays a sound because the person wants to hear it, in answer to a click. Silence and quiet hours do not matter. */
async function preview(name, app, heard = app) {
  await unlock();
  await decoded(pathOf(name, app, "audio"));
  await play(name, app, null, heard);
}

/** Plays what the app's push of that sound would play. */
export const previewPush = (name, app) => (name === "default" ? preview(defaultOf(app), null, app) : preview(name, app));

const defaultOf = (app) => {
  const own = model.apps.find(({ id }) => id === app)?.settings.find(({ key }) => key === "default-sound")?.value ?? "default";
  return own === "default" ? model.settings["default-sound"] ?? own : own;
};

/** Choices of a sound whose sounds are shown, to be played. */
const opened = new Set();

/** A choice of a sound, each of which can be played before it is chosen. */
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
