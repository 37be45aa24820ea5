// MCP Apps as a host of the viewer (see core/define.js): draws a tool's answer with one line of facts, and only reports
// which link to open. The protocol is JSON-RPC over postMessage, revision 2026-01-26.
const shared = { bus: new EventTarget(), styles: /*STYLES*/ {} };
const DRAWING = /*DRAWING*/ "";
const queueOf = () => ({ send: () => true, has: () => false, last: () => undefined });
const hide = () => {};
// In a narrow window the text takes part of its height, but this window is as high as its content.
shared.styles.viewer += "@media (max-width: 560px) { .scroller { max-height: none; } .view { --gutter: 48px; } }";

/*SCRIPTS*/

const roots = new Map(); // name -> shadow root of a component
let drawing = null;

function rootOf(name) {
  if (!roots.has(name)) {
    const parent = document.getElementById(name === "viewer" ? "viewer" : "unseen");
    roots.set(name, parent.appendChild(document.createElement("div")).attachShadow({ mode: "open" }));
  }
  return roots.get(name);
}

function draw() {
  document.getElementById("viewer").hidden = !drawing;
  for (const name of ["text", "text_facts", "viewer"]) {
    if (drawing?.[name]) showAt(rootOf(name), name, drawing[name], name === "viewer" ? queueOf(name) : null);
  }
}

const head = document.getElementById("head");
const made = (tag, text, more = {}) => Object.assign(document.createElement(tag), { textContent: text }, more);
const many = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/* The line over the text, of the words that the model gets too. */
function tell({ structuredContent: shown, content, isError }) {
  if (isError || !shown) {
    head.replaceChildren(
      made("p", content?.find(({ type }) => type === "text")?.text ?? "There is nothing to draw.", {
        className: "note",
      }),
    );
    return;
  }
  // Tokens such as "34 to 171, median 88".
  const facts = [`${many(shown.chunks, "chunk")} of ${shown.tokens.replace(",", " tokens,")}`];
  if (shown.hits) facts.push(`${many(shown.hits.length, "hit")} marked`);
  const open = made("button", "Open in Chunkscope", {
    type: "button",
    onclick: () => request("ui/open-link", { url: shown.url }).catch(() => {}),
  });
  head.replaceChildren(
    made("h1", shown.title),
    made("p", facts.join(" · ")),
    ...(/^https?:/.test(shown.url) ? [open] : []),
    ...(shown.notes ?? []).map((note) => made("p", note, { className: "note" })),
  );
}

function useTheme(context) {
  if (!context?.theme) return;
  document.documentElement.style.colorScheme = context.theme;
  draw(); // bands have other colours in the dark
}

const waiting = new Map(); // id -> what takes the answer
let lastId = 0;
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const notify = (method, params = {}) => post({ method, params });
const request = (method, params) =>
  new Promise((resolve, reject) => {
    waiting.set(++lastId, { resolve, reject });
    post({ id: lastId, method, params });
  });

const HANDLERS = {
  "ui/notifications/tool-result": (result) => {
    drawing = result._meta?.[DRAWING] ?? null;
    tell(result);
    draw();
  },
  "ui/notifications/tool-cancelled": () => tell({ content: [{ type: "text", text: "The call was cancelled." }] }),
  "ui/notifications/host-context-changed": useTheme,
};

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  if (data.method) {
    HANDLERS[data.method]?.(data.params ?? {});
    if (data.id !== undefined) post({ id: data.id, result: {} }); // ping, teardown
    return;
  }
  const { resolve, reject } = waiting.get(data.id) ?? {};
  waiting.delete(data.id);
  if (data.error) reject?.(new Error(data.error.message));
  else resolve?.(data.result);
});

new ResizeObserver(() => {
  const { width, height } = document.body.getBoundingClientRect(); // the page itself is never lower than its frame
  notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) });
}).observe(document.body);

const appCapabilities = { availableDisplayModes: ["inline", "fullscreen"] };
const { hostContext } = await request("ui/initialize", {
  appInfo: { name: "chunkscope", version: "1" },
  appCapabilities,
  protocolVersion: "2026-01-26",
});
useTheme(hostContext);
notify("ui/notifications/initialized");
