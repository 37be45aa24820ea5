// The legend of the text: a button in its corner, and what each sign in sight means.
class Legend {
  // `view`: the viewer.
  constructor(view) {
    this.view = view;
    this.el = element("div", "legend");
    this.button = element("button", "why", "?");
    this.button.type = "button";
    this.button.title = "What the signs in the text mean";
    this.button.setAttribute("aria-label", "Legend: what the signs in the text mean");
    this.panel = element("div", "panel");
    this.panel.setAttribute("role", "note");
    this.panel.tabIndex = -1;
    this.el.append(this.panel, this.button);
    this.button.addEventListener("click", () => this.toggle(this.panel.hidden));
    this.el.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.panel.hidden) return;
      event.stopPropagation();
      this.toggle(false);
      this.button.focus();
    });
    this.el.addEventListener("focusout", ({ relatedTarget }) => {
      if (!this.el.contains(relatedTarget)) this.toggle(false);
    });
    this.toggle(false);
    view.el.append(this.el);
  }
  toggle(open) {
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    this.refresh();
  }
  refresh() {
    if (!this.panel.hidden)
      this.panel.replaceChildren(...legendRows(this.view).map(([sign, words]) => legendRow(sign, words)));
  }
}

function legendRow(sign, words) {
  const row = element("div", "entry"),
    sample = element("span", "swatch");
  sample.append(sign);
  sample.setAttribute("aria-hidden", "true");
  row.append(sample, element("span", "", words));
  return row;
}

// [sign, words] of everything that this text shows, and of nothing else.
function legendRows({ scene, pinning, doc }) {
  const { bands, S, E, marks, source } = scene,
    noun = scene.noun.toLowerCase(),
    kinds = new Set(marks.map(({ kind }) => kind)),
    rows = [];
  const add = (holds, sign, words) => {
    if (holds) rows.push([typeof sign === "string" ? element("i", "", sign) : sign, words]);
  };
  const swatch = (...classes) => element("i", `patch ${classes.join(" ")}`);
  const pair = element("span", "pair");
  pair.append(swatch("band", "a"), swatch("band", "b"));
  const isToned = bands?.tones.some(Boolean);
  add(bands?.n && !isToned, pair, `One ${noun} after the other, in two colours by turns. The number is at its start.`);
  add(isToned, swatch("band", "t-heading"), `One ${noun} after the other; name and colour say of which kind.`);
  add(
    S.some((start, i) => i > 0 && start < E[i - 1]),
    swatch("band", "a", "hatched"),
    "Overlap: text that is in two chunks.",
  );
  add(
    scene.prefixes && bands?.prefixes.some(Boolean),
    element("span", "tag", "prefix"),
    "Put before the chunk when it is embedded; not part of the document.",
  );
  add(
    bands?.groupNoun,
    swatch("bracket"),
    `${bands?.groupNoun}: the chunks in one bracket form it together. Single and double lines take turns.`,
  );
  add(
    bands?.flags.some((bits) => bits > 0),
    element("i", "flag", "▲"),
    `A warning, such as a split table; hover over the ${noun} to read it.`,
  );
  for (const [letter, words] of [
    ["i", "An answer that is intact: one chunk holds all of it."],
    ["s", "An answer that is split: no chunk holds all of it."],
    ["m", "An answer that is missed: no chunk holds any of it."],
  ])
    add(scene.answers?.length, element("i", `sign-${FATES[letter].name}`, FATES[letter].sign), words);
  add(kinds.has("hit"), swatch("band", "hit"), "A hit, with its rank.");
  add(kinds.has("near"), swatch("band", "near"), "A neighbour that is returned with a hit.");
  add(kinds.has("word"), element("i", "word", "word"), "A word of the query, or a match of a pattern.");
  add(kinds.has("trimmed"), element("i", "trimmed", "text"), "Trimmed off a hit: too little evidence.");
  add(scene.pins.length, element("i", "pinned-sign", "S"), "A pin: a boundary set by hand. Hover over it to read what it does.");
  add(scene.track, "┆ =", "Chunks of B: a dashed line where only B has a boundary, = where both have one.");
  add(shared.guessed?.has(doc), "≈", "In the outline: a heading that was guessed from its looks; hover over it for the evidence.");
  add(source.markdown, "▨", "A picture that the text names. It is drawn if its bytes are in the text; nothing is fetched.");
  add(
    bands?.n,
    swatch("strip"),
    `The strip at the side is the whole text: a bar as long as each ${noun}${scene.answers?.length ? ", a dot for each answer" : ""}, red for warnings; the frame is what is on screen.`,
  );
  add(
    bands?.n,
    "⌨",
    `↑ ↓ go from ${noun} to ${noun}, Enter picks, Esc clears${scene.answers?.length ? ", N goes to the next split answer" : ""}${scene.track ? ", D to the next difference" : ""}${pinning ? "; S, K, X and M pin" : ""}.`,
  );
  return rows;
}
