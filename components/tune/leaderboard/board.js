// Configurations in order of the metric, each with its interval on one axis. A click selects one; its second button
// compares with it.
class Board {
  constructor(parent) {
    this.el = element("div", "cs board");
    this.head = element("div", "row head");
    this.list = element("ol", "list");
    this.el.append(this.head, this.list);
    parent.append(this.el);
    this.list.addEventListener("click", (event) => this.onClick(event));
    this.list.addEventListener("keydown", (event) => this.onKey(event));
  }
  destroy() {
    this.el.remove();
  }

  show(data) {
    this.data = data;
    this.el.dataset.theme = themeOf(this.el);
    this.list.setAttribute("aria-label", data.title);
    this.drawHead(data);
    const open = this.list.contains(this.el.getRootNode().activeElement)
      ? this.el.getRootNode().activeElement?.closest(".row")?.dataset.key
      : null;
    // A click is lost when its row is replaced between press and release: a run that changes nothing draws nothing.
    const looks = JSON.stringify([data.rows, data.axis, data.ticks]);
    if (looks === this.looks) return;
    this.looks = looks;
    const nodes = [];
    for (const row of data.rows) {
      if (row.before) nodes.push(element("li", "divide", row.before));
      nodes.push(this.rowOf(row));
    }
    this.list.replaceChildren(...nodes);
    if (open) this.list.querySelector(`[data-key="${CSS.escape(open)}"] .pick`)?.focus();
  }
  drawHead(data) {
    const axis = element("div", "axis");
    for (const [at, label] of data.ticks) axis.append(this.placed(element("span", "tick", label), at));
    this.head.replaceChildren(
      element("span", "place", ""),
      element("span", "what", "Settings"),
      axis,
      element("span", "value", data.metric),
      this.cost(data),
      element("span", "vs", ""),
    );
  }
  cost({ cost, counts }) {
    const head = element("span", "tokens", cost);
    head.title = counts;
    return head;
  }
  placed(node, at) {
    node.style.left = `${100 * this.share(at)}%`;
    return node;
  }
  share(value) {
    const [low, high] = this.data.axis;
    return Math.max(0, Math.min(1, (value - low) / (high - low || 1)));
  }

  rowOf(row) {
    const item = element("li", `row${row.state ? ` ${row.state}` : ""}${row.tied ? " tied" : ""}`);
    item.dataset.key = row.key;
    const pick = element("button", "pick what");
    pick.type = "button";
    pick.setAttribute("aria-pressed", row.state === "picked");
    pick.setAttribute("aria-label", row.said);
    const parts = element("span", "parts");
    for (const [name, value] of row.label) {
      const part = element("span", "part", name ? `${name} ` : "");
      part.append(element("b", "", value));
      parts.append(part);
    }
    const tags = element("span", "tags");
    for (const [kind, words, help] of row.tags) {
      const tag = element("span", `tag ${kind}`, words);
      tag.title = help;
      tags.append(tag);
    }
    pick.append(parts);
    if (row.tags.length) pick.append(tags);
    const axis = element("div", "axis");
    axis.title = row.hover;
    for (const [at] of this.data.ticks) axis.append(this.placed(element("i", "grid"), at));
    const range = element("i", "range"),
      dot = element("i", "dot");
    range.style.left = `${100 * this.share(row.low)}%`;
    range.style.width = `${Math.max(0.4, 100 * (this.share(row.high) - this.share(row.low)))}%`;
    axis.append(range, this.placed(dot, row.mean));
    const value = element("span", "value", row.value);
    value.append(element("small", "", row.range));
    const other = element("button", "vs", row.state === "against" ? "◆" : "vs");
    other.type = "button";
    other.title =
      row.state === "against" ? "Compared with the selected one; click to stop" : "Compare the selected one with this";
    other.setAttribute("aria-label", `${other.title}: ${row.name}`);
    other.setAttribute("aria-pressed", row.state === "against");
    other.disabled = row.state === "picked";
    item.append(element("span", "place", row.place), pick, axis, value, element("span", "tokens", row.tokens), other);
    return item;
  }
  onClick(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    const kind = event.target.closest("button.vs") ? "against" : "picked";
    if (kind === "against" && event.target.closest("button").disabled) return;
    this.events.send("clicked", { kind, key: row.dataset.key });
  }
  onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const buttons = [...this.list.querySelectorAll(".pick")],
      here = buttons.indexOf(event.target.closest(".row")?.querySelector(".pick"));
    buttons[Math.max(0, Math.min(buttons.length - 1, here + step))]?.focus();
    event.preventDefault();
  }
}

define("leaderboard", Board, "leaderboard");
