// Elements are made, never parsed: a push's texts stay texts.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element with its attributes, listeners (`onclick`) and children; nulls are left out. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an element of a drawing. */
export function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(node.dataset, value);
    else if (key === "checked") node.checked = node.defaultChecked = value;
    else if (key === "value" || key === "disabled" || key === "selected") node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Makes an element with a sender's text: its lines stay lines, and each is read from the side from which its script is written. */
export const words = (name, text, attributes = {}) =>
  element(name, { ...attributes, class: `sent${attributes.class ? ` ${attributes.class}` : ""}`, dir: "auto" }, text);

export const byID = (id) => document.getElementById(id);

/** Replaces the children, and keeps the focus where it was, by `data-focus`. */
export function replace(parent, ...children) {
  const focused = parent.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  if (focused) parent.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

const shown = new WeakMap();

/** Replaces the children only if `facts` have changed, so that typing and reading there are not interrupted. */
export function show(parent, facts, make) {
  const text = JSON.stringify(facts);
  if (shown.get(parent) === text) return;
  shown.set(parent, text);
  replace(parent, make());
}

const PATHS = {
  silent: "M4 9.5v5h3.2l4.3 3.6V5.9L7.2 9.5zm11.1 5.6 2.4-2.3 2.4 2.3 1.2-1.2-2.4-2.4 2.4-2.3-1.2-1.2-2.4 2.4-2.4-2.4-1.2 1.2 2.4 2.3-2.4 2.4z",
  offline: "m3.3 4.6 16.2 16.2 1.2-1.2L4.5 3.4zM2 9.6l2 2.1a12 12 0 0 1 3.4-2.2L5.3 7.4A15 15 0 0 0 2 9.6m20 0a15 15 0 0 0-11.6-4l2.3 2.3a12 12 0 0 1 7.3 3.8zM6 13.5l2 2.1a6 6 0 0 1 2.3-1.4L8 11.9a9 9 0 0 0-2 1.6m4 4.1 2 2.1 2-2.1a3 3 0 0 0-4 0",
  "low-power": "M4 8h14v8H4zm-1.5-1.5v11h17v-3H21v-5h-1.5v-3zM5.5 9.5h3v5h-3z",
  locked: "M8 10.5V8a4 4 0 0 1 8 0v2.500h1.500v9h-11v-9zm1.500 0h5V8a2.500 2.500 0 0 0-5 0z",
  quiet: "M14.500 3.200a9 9 0 1 0 6.300 11.500 7 7 0 0 1-6.300-11.500",
  focus: "M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9m4.500 1 .8 1.700 1.700.8-1.700.8-.8 1.700-.8-1.700-1.700-.8 1.700-.8z",
  bell: "M12 4a5.500 5.500 0 0 1 5.500 5.500V13l1.600 2.400a.7.7 0 0 1-.6 1.100h-13a.7.7 0 0 1-.6-1.100L6.500 13V9.500A5.500 5.500 0 0 1 12 4m-2.200 13.800h4.400a2.200 2.200 0 0 1-4.400 0",
  speaker: "M4 9.500v5h3.200l4.300 3.600V5.900L7.200 9.500zm10.300-1.700a6 6 0 0 1 0 8.400l-1.100-1.100a4.400 4.400 0 0 0 0-6.200zm2.800-2.800a10 10 0 0 1 0 14l-1.100-1.100a8.400 8.400 0 0 0 0-11.800z",
  motor: "M8.500 5h7v14h-7zM4.500 9H6v6H4.500zM2 10.500h1.500v3H2zM18 9h1.500v6H18zm2.500 1.500H22v3h-1.500z",
};

export const hasIcon = (name) => name in PATHS;

/** Makes a small drawing; its words are beside it, or in `label`. */
export function icon(name, label = null) {
  const svg = drawn("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": label ? null : "true", role: label ? "img" : null, "aria-label": label });
  svg.append(drawn("path", { d: PATHS[name], fill: "currentColor" }));
  return svg;
}

/** Makes all buttons that `stops` names one stop of the Tab key: the arrow keys, Home and End move among them. The
 *  returned function is to be called when there are other buttons. */
export function oneStop(area, stops) {
  let current = null, place = 0;
  const settle = () => {
    const all = stops();
    place = all.includes(current) ? all.indexOf(current) : Math.max(0, Math.min(place, all.length - 1));
    all.forEach((stop, index) => { stop.tabIndex = index === place ? 0 : -1; });
    return all[place];
  };
  area.addEventListener("focusin", ({ target }) => {
    if (!stops().includes(target)) return;
    current = target;
    settle();
  });
  area.addEventListener("keydown", (event) => {
    const all = stops(), from = all.indexOf(event.target);
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || from < 0) return;
    event.preventDefault();
    all[Math.max(0, Math.min(to, all.length - 1))].focus();
  });
  return settle;
}
