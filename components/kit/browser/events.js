// User events of a component, sent until the server confirms them; see events.py, the other half, for details. Events
// wait in sessionStorage: a page loaded anew sends what its earlier life could not.
const PATIENCE = 600; // ms until events are sent again, at the soonest; each further time twice as long
const LONGEST = 20_000;
const MOST_EVENTS = 256; // waiting, a component; events.py takes no more at once
const STORE = "chunkscope.events";

// sessionStorage may be forbidden, and then a reload forgets; nothing else needs it.
function storedEvents() {
  try {
    return JSON.parse(sessionStorage.getItem(STORE)) ?? {};
  } catch {
    return {};
  }
}
function storeEvents(key, pending) {
  const all = storedEvents();
  if (pending.length) all[key] = pending;
  else delete all[key];
  try {
    sessionStorage.setItem(STORE, JSON.stringify(all));
  } catch {
    /* see above */
  }
}
const newNonce = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

// How often the page has come to rest. Where Streamlit should not say so any more, only the time counts.
const STATE = "data-test-script-state";
let rests = 0;
new MutationObserver((changes) => {
  rests += changes.filter(({ target }) => target.getAttribute(STATE) === "notRunning").length;
}).observe(document.body, { subtree: true, attributeFilter: [STATE] });

// The events of one component. It outlives the component's stay on the page.
class Queue {
  constructor(key) {
    const stored = storedEvents()[key];
    Object.assign(this, {
      key,
      nonce: newNonce(),
      number: 0,
      tries: 0,
      rests,
      since: Date.now(),
      pending: Array.isArray(stored) ? stored.slice(0, MOST_EVENTS) : [],
    });
  }
  // The component is on the page, with what the server has confirmed.
  attach(component, root, confirmed) {
    Object.assign(this, { component, root });
    const before = this.pending.length;
    this.pending = this.pending.filter(({ nonce, number }) => !(number <= confirmed[nonce]));
    if (this.pending.length < before) {
      this.tries = 0;
      this.since = Date.now();
      storeEvents(this.key, this.pending);
    }
    this.mark();
    this.watch();
  }
  detach(root) {
    if (this.root !== root) return;
    clearTimeout(this.timer);
    this.component = this.root = this.timer = null;
  }
  // `latest`: only the last event of this kind matters, as for a dragged slider; every click matters.
  send(kind, value, latest = false) {
    if (latest) this.pending = this.pending.filter((event) => event.kind !== kind);
    if (this.pending.length >= MOST_EVENTS) return false;
    this.pending.push({ nonce: this.nonce, number: (this.number += 1), kind, value });
    storeEvents(this.key, this.pending);
    this.tries = 0;
    this.mark();
    this.flush();
    return true;
  }
  has(kind) {
    return this.pending.some((event) => event.kind === kind);
  }
  // The last pending value of this kind, or undefined.
  last(kind) {
    return this.pending.findLast((event) => event.kind === kind)?.value;
  }
  flush() {
    this.since = Date.now();
    this.rests = rests;
    this.tries += 1;
    this.component?.setStateValue("events", { sent: `${this.nonce} ${this.number} ${this.tries}`, list: this.pending });
    this.watch();
  }
  // Sent again when the page has settled twice without confirming, or has been settled for a while; else at growing
  // intervals: a run may take its time, and is not cut short.
  watch() {
    if (this.timer || !this.pending.length || !this.component) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (!this.pending.length) return;
      const waited = Date.now() - this.since,
        still = document.querySelector(`[${STATE}=notRunning]`),
        due = PATIENCE * 2 ** this.tries;
      const patience = Math.min(LONGEST, still ? due / 2 : rests - this.rests > 1 ? due : 8 * due);
      if (waited >= patience) this.flush();
      else this.watch();
    }, PATIENCE / 2);
  }
  mark() {
    this.root?.host?.toggleAttribute("data-pending", this.pending.length > 0);
  }
}

const queues = (shared.queues ??= new Map()); // key -> Queue
function queueOf(key) {
  if (!queues.has(key)) queues.set(key, new Queue(key));
  return queues.get(key);
}
