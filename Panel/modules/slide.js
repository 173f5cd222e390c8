// The control of a locked screen: a knob that is slid to the right, so that a touch in a pocket does nothing.

import { attempt } from "./controls.js";
import { element } from "./elements.js";

const LIMITS = {
  /** The share of the way after which the knob may be let go. */
  share: 0.6,
};

/** Makes a button that acts when its knob is slid to the end. With a keyboard or a screen reader it is pressed. */
export function slide(words, act, { focus }) {
  const knob = element("span", { class: "slide-knob", "aria-hidden": "true" }, "›");
  const control = element("button", { type: "button", class: "slide strong", data: { focus }, title: words, onclick: ({ detail }) => {
    // A pointer's press is not enough; detail is 0 without one.
    if (detail === 0) attempt(act);
  } }, knob, element("span", { class: "slide-words" }, words));
  let from = null, moved = 0;
  const way = () => control.clientWidth - knob.offsetWidth;
  const place = (pixels) => {
    moved = Math.max(0, Math.min(pixels, way()));
    knob.style.setProperty("translate", `${moved}px`);
  };
  control.addEventListener("pointerdown", (event) => {
    from = event.clientX;
    control.setPointerCapture(event.pointerId);
  });
  control.addEventListener("pointermove", ({ clientX }) => { if (from !== null) place(clientX - from); });
  const end = (isDone) => () => {
    const acts = from !== null && isDone && moved >= way() * LIMITS.share;
    from = null;
    place(0);
    if (acts) attempt(act);
  };
  control.addEventListener("pointerup", end(true));
  control.addEventListener("pointercancel", end(false));
  return control;
}
