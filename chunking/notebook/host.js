// A notebook as a host of the viewer's components (see core/define.js). Each view of a widget has its own `shared`, bus
// and queues, so two widgets of one document do not affect each other.
const STYLES = /*STYLES*/ {};
const FRAME = /*FRAME*/ "";
const TEXT_COLOURS = {
  light: {
    "text-color": "#0d1322",
    "background-color": "#ffffff",
    "secondary-background-color": "#f4f6fb",
    "border-color": "#dfe4ef",
    "primary-color": "#3f5bd9",
    "red-color": "#d33",
    "red-text-color": "#b3261e",
  },
  dark: {
    "text-color": "#e4e8f2",
    "background-color": "#11151f",
    "secondary-background-color": "#1a2030",
    "border-color": "#2b3347",
    "primary-color": "#8499ff",
    "red-color": "#ff6b6b",
    "red-text-color": "#ff9a8f",
  },
};
const FIXED = {
  "base-radius": "8px",
  font: "system-ui, 'Noto Sans', 'Noto Sans CJK SC', sans-serif",
  "code-font": "ui-monospace, 'SF Mono', Menlo, 'DejaVu Sans Mono', monospace",
};
// A notebook server drops everything over a megabyte per second.
const PART_PAUSE = 1000; // ms between two parts of a long text

/*QUEUES*/

// The viewer's scripts, in their own scope.
function boot(shared, queueOf, hide) {
  /*SCRIPTS*/
  return { showAt, removeInstance, isLight, element };
}

// The widget's place in the page: a shadow root that contains one shadow root per component, because their styles share
// names.
class Frame {
  constructor(el) {
    this.host = el.appendChild(document.createElement("div"));
    this.host.className = "chunkscope";
    const root = this.host.attachShadow({ mode: "open" }),
      sheet = new CSSStyleSheet();
    sheet.replaceSync(FRAME);
    root.adoptedStyleSheets = [sheet];
    const box = (parent, className, tag = "div") =>
      Object.assign(parent.appendChild(document.createElement(tag)), { className });
    this.el = box(root, "frame");
    this.viewer = box(this.el, "viewer");
    this.side = box(this.el, "side");
    this.silence = box(this.side, "silence", "p");
    this.silence.setAttribute("role", "status");
    this.silence.hidden = true;
    this.unseen = box(this.el, "unseen");
    this.roots = new Map(); // name -> the shadow root of a component
    this.choices = new Map();
  }
  rootOf(name, parent) {
    if (!this.roots.has(name)) {
      const box = parent.appendChild(document.createElement("div"));
      box.className = `at-${name}`;
      this.roots.set(name, box.attachShadow({ mode: "open" }));
    }
    return this.roots.get(name);
  }
  // Height of the text: Python's, or more if the controls next to it are higher. It never shrinks while they are next
  // to it, so that a temporary message under a control does not move the page.
  heightFor(given) {
    const beside = this.side.offsetTop === this.viewer.offsetTop;
    this.most = beside ? Math.max(this.most ?? 0, this.side.offsetHeight) : 0;
    return Math.max(given, this.most);
  }
  tell(silent) {
    this.silence.hidden = !silent;
    this.silence.textContent = silent
      ? "The kernel does not answer. If it was restarted or has ended, run the cell again."
      : "";
  }
  // A list to choose from; the choice goes to `send`.
  choice({ key, label, value, options, error }, send) {
    if (!this.choices.has(key)) {
      const row = this.side.appendChild(document.createElement("label")),
        select = document.createElement("select");
      row.className = "choice";
      const fault = Object.assign(document.createElement("span"), { className: "fault" });
      row.append(document.createElement("span"), select, fault);
      select.dataset.key = key;
      select.addEventListener("change", () => send(select.value));
      this.choices.set(key, { row, select, fault, names: "" });
    }
    const choice = this.choices.get(key),
      names = JSON.stringify(options);
    choice.row.firstChild.textContent = label;
    choice.fault.textContent = error;
    if (choice.names !== names) {
      choice.names = names;
      choice.select.replaceChildren(
        ...options.map(([one, text]) =>
          Object.assign(document.createElement("option"), { value: one, textContent: text }),
        ),
      );
    }
    choice.select.value = value;
  }
  // Dark if the page's text is light. Returns whether that has changed.
  style(isLight, page) {
    // VS Code says so itself, and paints outputs of widgets white
    const kind = document.body.dataset.vscodeThemeKind ?? "";
    const dark = kind ? /dark|^vscode-high-contrast$/.test(kind) : isLight(getComputedStyle(page).color);
    const theme = dark ? "dark" : "light",
      colours = TEXT_COLOURS[theme];
    if (this.host.dataset.theme === theme) return false;
    for (const [name, value] of Object.entries({ ...FIXED, ...colours }))
      this.host.style.setProperty(`--st-${name}`, value);
    Object.assign(this.host.style, { colorScheme: theme, color: colours["text-color"] });
    this.host.dataset.theme = theme;
    return true;
  }
}

// JupyterLab handles plain keys itself, even if the focus is in a shadow root: `d d` deleted a cell. It checks this
// attribute at each key, after the window's listener. Ctrl+S and the like stay JupyterLab's.
function keepKeys(host) {
  const keys = (event) => {
    if (!event.composedPath().includes(host)) return;
    if (event.ctrlKey || event.metaKey) delete host.dataset.lmSuppressShortcuts;
    else host.dataset.lmSuppressShortcuts = "true";
  };
  window.addEventListener("keydown", keys, { capture: true });
  return () => window.removeEventListener("keydown", keys, { capture: true });
}

// Short texts arrive at once, long ones in parts; each part is requested when the previous one has arrived.
function makeTextTaker(show, ask) {
  let parts = [];
  return ({ doc, packed, part, of }) => {
    if (!doc) return;
    if (part === 0) parts = [];
    if (part < parts.length) return; // another view of the widget has asked for it
    if (part > parts.length) return ask({ doc, part: parts.length }); // this view came later
    parts.push(packed);
    if (parts.length === of) show({ doc, packed: parts.join("") });
    else setTimeout(() => ask({ doc, part: parts.length }), PART_PAUSE);
  };
}

function render({ model, el }) {
  // marimo reruns the cells that read a widget when the browser changes one of its values; it sees no other change.
  const rest = () => {
    model.set?.("_rests", model.get("_rests") + 1);
    model.save_changes?.();
  };
  const line = new EventLine(
    (event) => model.send(event),
    (silent) => frame.tell(silent),
    rest,
  );
  const shared = { bus: new EventTarget(), styles: STYLES };
  const { showAt, removeInstance, isLight } = boot(
    shared,
    (key) => line.of(key),
    () => {},
  );
  const frame = new Frame(el),
    shown = new Map(); // root -> name of its component
  frame.style(isLight, el);
  const mount = (name, root, data, key = null) => {
    const queue = key && line.of(key);
    if (queue) queue.root = root;
    shown.set(root, name);
    showAt(root, name, data, queue);
  };
  const bring = (name, data) => mount(name, frame.rootOf(name, frame.unseen), data);
  const takeText = makeTextTaker(
    (data) => bring("text", data),
    (value) => line.of("text").send("part", value, true),
  );

  // Handlers of the model's values; a message changes some of them, in this order.
  const SHOW = {
    _confirmed: (confirmed) => line.confirm(confirmed),
    _text: takeText,
    _facts: (data) => {
      if (data.doc) bring("text_facts", data);
    },
    _answers: (data) => {
      if (data.key) bring("answers", data);
    },
    _view: (data) => {
      if (!data.doc) return;
      height = frame.heightFor(data.height);
      mount("viewer", frame.rootOf("viewer", frame.viewer), { ...data, height }, "viewer");
    },
    _form: (rows) => {
      for (const row of rows) {
        if (row.kind === "choice") frame.choice(row, (text) => line.of(row.key).send("value", { text }, true));
        else mount("number", frame.rootOf(row.key, frame.side), row, row.key);
      }
    },
    _strip: (data) => {
      if (data.doc) mount("sizes", frame.rootOf("sizes", frame.side), data);
    },
    _dial: (data) => {
      if (data.trace) mount("dial", frame.rootOf("dial", frame.side), data);
    },
  };
  let height = 0; // of the text, as it was drawn last
  const changed = new Set(),
    listeners = [];
  const flush = () => {
    for (const name of Object.keys(SHOW)) if (changed.delete(name)) SHOW[name](model.get(name));
  };
  for (const name of Object.keys(SHOW)) {
    const onChange = () => {
      if (!changed.size) queueMicrotask(flush);
      changed.add(name);
    };
    model.on(`change:${name}`, onChange);
    listeners.push([`change:${name}`, onChange]);
  }
  const showAll = (names) => {
    for (const name of names) changed.add(name);
    flush();
  };
  showAll(Object.keys(SHOW));

  const restyle = () => {
    if (frame.style(isLight, el)) showAll(["_view", "_form", "_strip", "_dial"]);
  };
  const watcher = new MutationObserver(restyle),
    scheme = matchMedia("(prefers-color-scheme: dark)");
  for (const node of [document.documentElement, document.body]) watcher.observe(node, { attributes: true });
  scheme.addEventListener("change", restyle);
  requestAnimationFrame(restyle); // the output may not be in the page before
  const sizes = new ResizeObserver(() => {
    if (height && frame.heightFor(model.get("_view").height) !== height) showAll(["_view"]);
  });
  sizes.observe(frame.side); // before the page is painted: nothing is seen to jump
  const leaveKeys = keepKeys(frame.host);
  return () => {
    sizes.disconnect();
    leaveKeys();
    watcher.disconnect();
    scheme.removeEventListener("change", restyle);
    for (const [name, onChange] of listeners) model.off(name, onChange);
    line.close();
    for (const [root, name] of shown) removeInstance(root, name);
    frame.host.remove();
  };
}

export default { render };
