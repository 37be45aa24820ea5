// Shared by all components: a registry of classes by name, and their lifecycle in a host.
// A class has constructor(root), show(data) and destroy(). If the other side listens, `events` is set before each show.
// A host (an app's page, a notebook's output, a file) defines before this script:
//   shared          an object that outlives the script; `shared.bus`, an EventTarget on which its components tell each
//                   other things
//   queueOf(key)    what carries the events of a component to the other side, until that has confirmed them:
//                   send(kind, value, latest) -> whether it took the event, has(kind), last(kind)
//   hide(root)      makes the place of a component that shows nothing take no room
// and gives `shared.styles`, the style sheets by folder, before a component is made.
const kinds = new Map(); // name -> { kind, folder }
const instances = new WeakMap(); // root -> instance
shared.alive ??= {}; // name -> how many are there

function define(name, kind, folder) {
  kinds.set(name, { kind, folder });
}

// The component at a root, made the first time.
function instanceAt(root, name) {
  const known = instances.get(root);
  if (known) return known;
  const { kind, folder } = kinds.get(name),
    sheet = new CSSStyleSheet();
  sheet.replaceSync(shared.styles[folder]);
  root.adoptedStyleSheets = [sheet];
  const instance = new kind(root);
  instances.set(root, instance);
  shared.alive[name] = (shared.alive[name] ?? 0) + 1;
  return instance;
}

// Show data in a root. `turns` counts the messages of a component: a later one may overtake one that is still waiting.
function showAt(root, name, data, events = null) {
  const instance = instanceAt(root, name);
  if (events) instance.events = events;
  instance.turns = (instance.turns ?? 0) + 1;
  instance.show(data);
  return instance;
}

// Remove the component of a root.
function removeInstance(root, name) {
  instances.get(root)?.destroy();
  if (instances.delete(root)) shared.alive[name] -= 1;
}

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text != null) node.textContent = legible(text);
  return node;
}

// 12,345. `toLocaleString` creates such a format for each number, which took longer than drawing the bars and rows.
const thousands = new Intl.NumberFormat("en-US");

// Replaces each direction mark by a visible sign: a name with such a mark would reorder the words around it. The
// viewer, whose text is exact, isolates the marks instead (lines.js).
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const legible = (text) => String(text).replace(TURNS, "⇄");

// First place in an ascending array whose value is >= x.
function lowerBound(array, x) {
  let low = 0,
    high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The inverse of packing.pack_columns: an object with an Int32Array per name, and the tables.
async function unpack(packed, names, n) {
  const found = Object.fromEntries(names.map((name) => [name, new Int32Array(n)]));
  if (!packed) return found;
  const bytes = new Uint8Array(await inflate(packed).arrayBuffer()),
    plane = names.length * n;
  names.forEach((name, row) => {
    for (let i = 0, at = row * n; i < n; i++, at++) {
      found[name][i] =
        bytes[at] | (bytes[at + plane] << 8) | (bytes[at + 2 * plane] << 16) | (bytes[at + 3 * plane] << 24);
    }
  });
  return Object.assign(found, JSON.parse(new TextDecoder().decode(bytes.subarray(4 * plane))));
}

// The inverse of packing.pack_json.
function unpackJson(packed) {
  return inflate(packed).json();
}

function inflate(packed) {
  const deflated = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate")));
}

// Browsers write colours in many ways (`rgb(…)`, `color(srgb 1 1 1)`, `oklch(…)`), so each is drawn once to measure its
// lightness.
const lightColours = new Map();
function isLight(colour) {
  if (!lightColours.has(colour)) {
    const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = pen.getImageData(0, 0, 1, 1).data;
    lightColours.set(colour, 0.299 * r + 0.587 * g + 0.114 * b > 128);
  }
  return lightColours.get(colour);
}

// Hosts give colours, not the theme's name: light text means a dark page.
function themeOf(node) {
  return isLight(getComputedStyle(node).color) ? "dark" : "light";
}
