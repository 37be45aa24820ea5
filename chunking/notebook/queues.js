// User events, sent until the kernel confirms them. All pending events are resent at growing intervals: a notebook
// server drops messages above its rate, and a busy kernel answers late. The kernel applies each number once
// (widget.py).
const FIRST_PATIENCE = 1000,
  LONGEST_PATIENCE = 15_000; // ms until events are sent again
const SILENCE = 5000; // ms after which the user is told that nothing answers
const MOST_EVENTS = 256; // waiting, a component
const REST = 150; // ms without an event after which a user rests

class Queue {
  constructor(key, line) {
    Object.assign(this, { key, line, pending: [], root: null });
  }
  // `latest`: only the last event of this kind matters, as for a dragged slider; every click matters.
  send(kind, value, latest = false) {
    if (latest) this.pending = this.pending.filter((event) => event.kind !== kind);
    if (this.pending.length >= MOST_EVENTS) return false;
    const event = { nonce: this.line.nonce, number: (this.line.number += 1), key: this.key, kind, value };
    this.pending.push(event);
    this.line.sendNow(event);
    this.mark();
    return true;
  }
  has(kind) {
    return this.pending.some((event) => event.kind === kind);
  }
  // The last pending value of this kind, or undefined.
  last(kind) {
    return this.pending.findLast((event) => event.kind === kind)?.value;
  }
  mark() {
    this.root?.host?.toggleAttribute("data-pending", this.pending.length > 0);
  }
}

// The queues of one view of a widget. `send` passes an event to the kernel; `tell(silent)` reports whether the kernel
// is silent; `rest()` that all events are confirmed and no more arrive.
class EventLine {
  constructor(send, tell, rest) {
    const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
    Object.assign(this, { nonce, number: 0, tries: 0, since: 0, queues: new Map(), give: send, tell, rest });
  }
  of(key) {
    if (!this.queues.has(key)) this.queues.set(key, new Queue(key, this));
    return this.queues.get(key);
  }
  get waiting() {
    return [...this.queues.values()].flatMap(({ pending }) => pending).sort((a, b) => a.number - b.number);
  }
  sendNow(event) {
    clearTimeout(this.resting);
    this.since ||= Date.now();
    this.tries = 0;
    this.pass(event);
    this.watch();
  }
  // Sending over a closed connection may throw; the event is sent again.
  pass(event) {
    try {
      this.give(event);
    } catch {
      /* see watch */
    }
  }
  // `confirmed`: the highest applied number per nonce.
  confirm(confirmed) {
    const done = confirmed[this.nonce] ?? 0;
    let moved = false;
    for (const queue of this.queues.values()) {
      const left = queue.pending.filter(({ number }) => number > done);
      moved ||= left.length < queue.pending.length;
      queue.pending = left;
      queue.mark();
    }
    if (!moved) return;
    this.since = this.waiting.length ? Date.now() : 0;
    clearTimeout(this.resting);
    if (!this.since) this.resting = setTimeout(this.rest, REST);
    this.tries = 0;
    this.watch();
  }
  watch() {
    clearTimeout(this.timer);
    this.tell(this.since > 0 && Date.now() - this.since > SILENCE);
    if (!this.since) return;
    this.timer = setTimeout(
      () => {
        this.tries += 1;
        for (const event of this.waiting) this.pass(event);
        this.watch();
      },
      Math.min(LONGEST_PATIENCE, FIRST_PATIENCE * 2 ** this.tries),
    );
  }
  close() {
    clearTimeout(this.timer);
    clearTimeout(this.resting);
  }
}
