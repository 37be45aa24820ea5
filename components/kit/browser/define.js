// What all components share: a registry of classes by name, and their life on the page.
// A class has constructor(root), show(data) and destroy(). Where Python listens, `events` (see events.js) is set before each show.
const shared = (window.chunkscope ??= {});
const kinds = new Map();         // name -> { kind, folder }
const instances = new WeakMap(); // root -> instance
shared.alive ??= {};             // name -> how many are on the page
const LINGER = 250;              // ms between two looks whether a component that was cleaned up has left the page

function define(name, kind, folder) { kinds.set(name, { kind, folder }); }

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text != null) node.textContent = legible(text);
  return node;
}

// 12,345. `toLocaleString` makes such a format anew for each number, which took longer than the bars and rows that show them.
const thousands = new Intl.NumberFormat("en-US");

// Characters that turn the direction of what follows them, with a sign in the place of each: a name with one in it would reorder
// the words of the page around it. The viewer, whose text is exact, isolates them instead (lines.js).
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const legible = (text) => String(text).replace(TURNS, "⇄");

// First place in an ascending array whose value is >= x.
function lowerBound(array, x) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] < x) low = middle + 1; else high = middle;
  }
  return low;
}

// The inverse of packing.pack_columns: an object with an Int32Array a name, and the tables.
async function unpack(packed, names, n) {
  const found = Object.fromEntries(names.map((name) => [name, new Int32Array(n)]));
  if (!packed) return found;
  const bytes = new Uint8Array(await inflate(packed).arrayBuffer()), plane = names.length * n;
  names.forEach((name, row) => {
    for (let i = 0, at = row * n; i < n; i++, at++) {
      found[name][i] = bytes[at] | (bytes[at + plane] << 8) | (bytes[at + 2 * plane] << 16) | (bytes[at + 3 * plane] << 24);
    }
  });
  return Object.assign(found, JSON.parse(new TextDecoder().decode(bytes.subarray(4 * plane))));
}

// The inverse of packing.pack_json.
function unpackJson(packed) { return inflate(packed).json(); }

function inflate(packed) {
  const deflated = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate")));
}

// Streamlit gives colours, not the theme's name: light letters mean a dark page.
function themeOf(node) {
  const [r, g, b] = getComputedStyle(node).color.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0];
  return 0.299 * r + 0.587 * g + 0.114 * b > 128 ? "dark" : "light";
}

// For components that bring something and show nothing: their place on the page, and the gap after it, go.
function hide(root) { (root.host ?? root).closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none"); }

shared.mount = (name, component) => {
  const { parentElement: root, data } = component;
  let instance = instances.get(root);
  if (!instance) {
    const { kind, folder } = kinds.get(name);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(shared.styles[folder]);
    root.adoptedStyleSheets = [sheet];
    instances.set(root, (instance = new kind(root)));
    shared.alive[name] = (shared.alive[name] ?? 0) + 1;
  }
  if (data.events) {
    instance.events = queueOf(data.events.key);
    instance.events.attach(component, root, data.events.confirmed);
  }
  const turn = (instance.turns = (instance.turns ?? 0) + 1);
  instance.show(data);
  // Streamlit cleans up after a message that was overtaken, too, and then mounts the later one, at once or some milliseconds after.
  // Between them the component stands as it is: whoever clicks then clicks on it.
  const host = root.host ?? root;
  return function leave() {
    if (turn !== instance.turns) return;
    if (host.isConnected) { setTimeout(leave, LINGER); return; }
    instance.events?.detach(root);
    instance.destroy();
    instances.delete(root);
    shared.alive[name] -= 1;
  };
};
