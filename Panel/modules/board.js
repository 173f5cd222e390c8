// The board as it is now: the lamp by its pattern in the handset's own time, the digits by their segments, the motor by
// its pattern in real time, the speaker by its events.

import { byID, drawn, element, icon, replace } from "./elements.js";
import { model, uptime, watch } from "./model.js";
import * as session from "./session.js";
import { appOf, pathOf } from "./sound.js";

/** The browser's preference: with reduced motion, a text names the pattern. */
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** The segments by their bits: a to g clockwise from the top, then the point; in a box of 60 by 100. */
const SEGMENTS = [
  "14,6 46,6 50,10 46,14 14,14 10,10", "52,12 56,16 56,44 52,48 48,44 48,16", "52,52 56,56 56,84 52,88 48,84 48,56",
  "14,86 46,86 50,90 46,94 14,94 10,90", "8,52 12,56 12,84 8,88 4,84 4,56", "8,12 12,16 12,44 8,48 4,44 4,16",
  "14,46 46,46 50,50 46,54 14,54 10,50",
];

let lamp, light, lampWords, display, displayPlace, motor, motorWords, wave, waveWords, motorTimer, playhead;
let lightSteps = "";
let drawnSegments = "";
let sound = null;
let lastVibration = null;

export function make() {
  light = element("span", { class: "light" });
  lamp = element("span", { class: "lamp" }, light);
  lampWords = element("span", { class: "part-words" });
  display = drawn("svg", { class: "digits", "aria-hidden": "true" });
  displayPlace = element("div", { class: "display" }, display);
  motor = element("span", { class: "motor" }, icon("motor"));
  motorWords = element("span", { class: "part-words" }, "still");
  wave = drawn("svg", { class: "wave", viewBox: "0 0 160 48", preserveAspectRatio: "none", "aria-hidden": "true" });
  waveWords = element("span", { class: "part-words" }, "silent");
  playhead = element("span", { class: "playhead" });
  replace(byID("board-face"),
    element("div", { class: "part part-lamp" }, element("span", { class: "part-name" }, "Lamp"), lamp, lampWords),
    element("div", { class: "part part-display" }, element("span", { class: "part-name" }, "Badge"), displayPlace),
    element("div", { class: "part part-motor" }, element("span", { class: "part-name" }, "Motor"), motor, motorWords),
    element("div", { class: "part part-speaker" }, element("span", { class: "part-name" }, "Speaker"),
      element("div", { class: "wave-place" }, wave, playhead), waveWords));
  drawSilence();
  watch(["state", "clock"], draw);
  watch(["events"], followEvents);
  watch(["chosen"], forgetSound);
  stillness.addEventListener("change", () => { if (model.state) draw(); });
}

function draw() {
  const { presentation, devices, isOnBoard } = model.state;
  byID("board").hidden = !isOnBoard;
  drawLamp(presentation.lamp);
  drawDisplay(presentation);
  drawMotor(presentation.motor, devices.find((device) => device.name === "motor"));
  const words = [
    presentation.lamp ? `Lamp lit, pattern ${presentation.lamp.pattern}.` : "Lamp dark.",
    presentation.badge ? `Display shows ${presentation.digits?.trim() ?? presentation.badge}${presentation.segmentsBlink ? ", blinking" : ""}${presentation.dimmed ? ", dimmed" : ""}.` : "Display dark.",
  ].join(" ");
  if (byID("board-words").textContent !== words) byID("board-words").textContent = words;
  replace(byID("devices"), devices.map((device) =>
    element("li", { class: device.works ? "device" : "device device-lost" },
      element("span", { class: "device-mark", "aria-hidden": "true" }, device.works ? "✓" : "!"),
      element("span", {}, device.works ? device.name : device.problem,
        device.works ? element("span", { class: "unseen" }, " works") : null))));
}

// MARK: The lamp

/** Draws the pattern in the handset's own time, as an animation, which the browser runs by itself. */
function drawLamp(shown) {
  lampWords.textContent = shown ? shown.pattern : "dark";
  lamp.classList.toggle("lit", Boolean(shown));
  // Most boards have a lamp of one colour: what nobody coloured stays amber here.
  const isPlain = shown?.colour === "white" && !shown.pattern.includes("-");
  lamp.dataset.colour = isPlain ? "" : shown?.colour ?? "";
  const isStill = !shown || stillness.matches || shown.steps.length === 1;
  const steps = isStill ? "" : JSON.stringify(shown.steps);
  if (steps !== lightSteps) {
    lightSteps = steps;
    light.getAnimations().forEach((animation) => animation.cancel());
    if (steps) light.animate(brightness(shown.steps), { duration: period(shown.steps), iterations: Infinity });
  }
  for (const animation of light.getAnimations()) {
    animation.currentTime = Math.max(0, (uptime() - shown.sinceUptimeMicroseconds) / 1000);
    if (model.clock?.clock === "virtual") animation.pause();
  }
}

const period = (steps) => steps.reduce((sum, step) => sum + step.milliseconds, 0);

/** Returns the frames of a pattern. An eye sees the root of the share of the time in which the lamp is lit. */
function brightness(steps) {
  const whole = period(steps);
  let passed = 0;
  const frames = steps.map((step) => {
    const frame = { offset: passed / whole, opacity: Math.sqrt(step.brightness / 100), easing: step.brightness % 100 ? "linear" : "steps(1, end)" };
    passed += step.milliseconds;
    return frame;
  });
  return [...frames, { offset: 1, opacity: frames.at(-1).opacity }];
}

// MARK: The display

function drawDisplay({ segments, segmentsBlink, dimmed, badge }) {
  displayPlace.classList.toggle("dimmed", dimmed);
  display.classList.toggle("blinks", segmentsBlink);
  const text = JSON.stringify([segments, badge]);
  if (text === drawnSegments) return;
  drawnSegments = text;
  if (!segments) {
    displayPlace.replaceChildren(element("span", { class: "part-words" }, badge ? `no display; badge ${badge}` : "no display"));
    return;
  }
  if (display.parentNode !== displayPlace) displayPlace.replaceChildren(display);
  display.setAttribute("viewBox", `0 0 ${segments.length * 76} 100`);
  display.replaceChildren(...segments.map((bits, place) =>
    drawn("g", { transform: `translate(${place * 76 + 8} 0) skewX(-4)` },
      SEGMENTS.map((points, bit) => drawn("polygon", { points, class: bits & (1 << bit) ? "on" : "off" })),
      drawn("circle", { cx: 65, cy: 91, r: 5, class: bits & 0x80 ? "on" : "off" }))));
}

// MARK: The motor

/** Returns the step of a pattern after so many milliseconds, and the rest of that step; nothing past the last. */
function stepAt(elapsed, steps) {
  let end = 0;
  for (const step of steps) {
    end += step.milliseconds;
    if (elapsed < end) return [step, end - elapsed];
  }
  return [];
}

/** Draws the motor as long as the board's runs: the state has the position in its pattern, and its end. */
function drawMotor(shown, device) {
  clearTimeout(motorTimer);
  motor.parentNode.hidden = !device;
  const rest = (words) => {
    motor.classList.remove("runs");
    motorWords.textContent = words;
  };
  if (!device) return rest("none fitted");
  if (!device.works) return rest("not working");
  const last = lastVibration ? `last: ${lastVibration}` : "still";
  if (!shown) return rest(last);
  lastVibration = shown.pattern;
  const began = model.stateAt - shown.elapsedMilliseconds;
  const step = () => {
    const [now, left] = stepAt(performance.now() - began, shown.steps);
    if (!now) return rest(`last: ${shown.pattern}`);
    motor.classList.toggle("runs", now.runs);
    motorWords.textContent = stillness.matches ? `vibrates: ${shown.pattern}` : shown.pattern;
    motorTimer = setTimeout(step, Math.max(1, left));
  };
  step();
}

// MARK: The speaker

function followEvents() {
  for (const event of model.fresh ?? []) {
    if (event.event === "sound-started") play(event);
    if (event.event === "sound-ended" && sound?.name === event.name && sound.push === event.push) ended(event);
  }
}

async function play(event) {
  const started = { name: event.name, push: event.push };
  sound = started;
  waveWords.textContent = event.name;
  const shape = await session.get(pathOf(event.name, appOf(event), "waveform")).catch(() => null);
  if (sound !== started) return;
  if (!shape) return drawSilence();
  drawWave(shape.peaks);
  // A short sound may have ended before its waveform came.
  if (started.isOver) return;
  waveWords.textContent = `${event.name}, ${(shape.milliseconds / 1000).toFixed(1)} s`;
  if (stillness.matches) return;
  playhead.getAnimations().forEach((animation) => animation.cancel());
  playhead.animate([{ left: "0%", opacity: 1 }, { left: "100%", opacity: 1 }], { duration: shape.milliseconds });
}

function ended(event) {
  sound.isOver = true;
  playhead.getAnimations().forEach((animation) => animation.cancel());
  waveWords.textContent = `last: ${event.name}${event.reason === "finished" ? "" : `, ${event.detail ?? event.reason}`}`;
}

/** Removes the sound of the handset that was shown before. */
function forgetSound() {
  sound = lastVibration = null;
  waveWords.textContent = "silent";
  playhead.getAnimations().forEach((animation) => animation.cancel());
  drawSilence();
}

function drawSilence() { drawWave(Array.from({ length: 160 }, () => 0)); }

function drawWave(peaks) {
  const width = 160 / peaks.length;
  wave.replaceChildren(...peaks.map((peak, index) => {
    const height = Math.max(1, Math.sqrt(peak / 100) * 46);
    return drawn("rect", { x: index * width, y: 24 - height / 2, width: width * 0.62, height, rx: 0.3 });
  }));
}
