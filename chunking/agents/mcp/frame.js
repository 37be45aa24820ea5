// A host of MCP Apps as the host of the viewer (see core/define.js): it draws what a tool's answer brings, and tells nothing back.
// The protocol is JSON-RPC over postMessage, revision 2026-01-26.
const shared = { bus: new EventTarget(), styles: /*STYLES*/{} };
const DRAWING = /*DRAWING*/"";
const queueOf = () => ({ send: () => true, has: () => false, last: () => undefined });
const hide = () => {};

/*SCRIPTS*/

const roots = new Map();   // name -> shadow root of a component
let drawing = null;

function rootOf(name) {
  if (!roots.has(name)) {
    const parent = document.getElementById(name === "viewer" ? "viewer" : "unseen");
    roots.set(name, parent.appendChild(document.createElement("div")).attachShadow({ mode: "open" }));
  }
  return roots.get(name);
}

function draw() {
  for (const name of ["text", "text_facts", "viewer"]) {
    if (drawing?.[name]) showAt(rootOf(name), name, drawing[name], name === "viewer" ? queueOf(name) : null);
  }
}

function useTheme(context) {
  if (!context?.theme) return;
  document.documentElement.style.colorScheme = context.theme;
  draw();   // bands have other colours in the dark
}

const waiting = new Map();   // id -> what takes the answer
let lastId = 0;
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const notify = (method, params = {}) => post({ method, params });
const request = (method, params) => new Promise((resolve, reject) => {
  waiting.set(++lastId, { resolve, reject });
  post({ id: lastId, method, params });
});

const HANDLERS = {
  "ui/notifications/tool-result": ({ _meta }) => { drawing = _meta?.[DRAWING] ?? drawing; draw(); },
  "ui/notifications/host-context-changed": useTheme,
};

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  if (data.method) {
    HANDLERS[data.method]?.(data.params ?? {});
    if (data.id !== undefined) post({ id: data.id, result: {} });   // ping, teardown
    return;
  }
  const { resolve, reject } = waiting.get(data.id) ?? {};
  waiting.delete(data.id);
  if (data.error) reject?.(new Error(data.error.message)); else resolve?.(data.result);
});

new ResizeObserver(() => {
  const { width, height } = document.body.getBoundingClientRect();   // the page itself is never lower than its frame
  notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) });
}).observe(document.body);

const appCapabilities = { availableDisplayModes: ["inline", "fullscreen"] };
const { hostContext } = await request("ui/initialize", { appInfo: { name: "chunkscope", version: "1" }, appCapabilities, protocolVersion: "2026-01-26" });
useTheme(hostContext);
notify("ui/notifications/initialized");
