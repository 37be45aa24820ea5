// One line of the text as elements. Only textContent is ever set, so document content stays text.

// Coverage of a place: the bands from `first` to `last` (first > last: none) and the marks that contain it. `scene` is
// the viewer's Scene (scene.js).
function bandsOver(scene, unit) {
  const last = lowerBound(scene.S, unit + 1) - 1,
    first = lowerBound(scene.E, unit + 1);
  return [first, last];
}

// Ascending unit offsets inside (start, end) where something begins or ends.
function seams(scene, start, end, row, markup) {
  const at = new Set();
  const add = (unit) => {
    if (unit > start && unit < end) at.add(unit);
  };
  for (let i = lowerBound(scene.E, start); i < scene.S.length && scene.S[i] < end; i++) {
    add(scene.S[i]);
    add(scene.E[i]);
  }
  for (const mark of scene.marks)
    if (mark.start < end && mark.end > start) {
      add(mark.start);
      add(mark.end);
    }
  const { turns, code } = scene.source;
  for (let i = lowerBound(code.E, start + 1); i < code.S.length && code.S[i] < end; i++) {
    add(code.S[i]);
    add(code.E[i]);
  }
  for (let i = lowerBound(turns, start); i < turns.length && turns[i] < end; i++) {
    add(turns[i]);
    add(turns[i] + 1);
  }
  scene.track?.addSeams(add, start, end);
  row?.seams(add);
  for (const [from, to] of markup?.pieces ?? []) {
    add(start + from);
    add(start + to);
  }
  return [start, ...[...at].sort((a, b) => a - b), end];
}

function classesOf(scene, first, last, kinds) {
  const names = [];
  if (first <= last) {
    names.push("band", scene.lookOf(last));
    if (first < last) names.push("shared");
    if (scene.picked >= first && scene.picked <= last) names.push("picked");
  }
  names.push(...kinds);
  return names.join(" ");
}

// The tick at the start of band i: a bar in the text, its number in the gutter, its prefix on a separate line.
function tickOf(scene, i) {
  const { bands } = scene,
    flags = bands.flags[i];
  const tick = element(
    "span",
    `tick ${scene.lookOf(i)}${flags ? " flagged" : ""}${i === scene.picked ? " picked" : ""}${i === scene.cursor ? " cursor" : ""}`,
  );
  tick.dataset.c = i;
  const hit = scene.hitAt.get(bands.starts[i]);
  const number = element("span", "number", scene.labelOf(i));
  if (flags) number.append(element("span", "flag", "▲"));
  if (hit) number.append(element("span", "rank", hit));
  tick.append(number);
  const prefix = scene.prefixOf(i),
    cutting = scene.cutting.has(i);
  if (cutting) {
    tick.classList.add("cutting");
    number.append(element("span", "scissors", FATES.s.sign));
  }
  if (prefix) {
    tick.classList.add("tagged");
    const line = element("span", "prefix", prefix.replace(/\s*\n\s*/g, " ⏎ "));
    if (cutting) line.prepend(element("span", "cut", `${FATES.s.sign} splits an answer`));
    line.dataset.c = i;
    tick.append(line);
  }
  return tick;
}

// The sign of an answer's state at its start; in the margin, so that a change moves no text.
function signOf({ fate, sign }) {
  const node = element("span", `sign ${fate}`, sign);
  node.dataset.fate = fate;
  node.setAttribute("aria-hidden", "true");
  return node;
}

// The line [start, end) as one or more blocks (a prefix starts a new one). A block has the look of its last part, so
// that the full lines of a chunk are coloured up to the margin; parts with another look have their own.
function linesOf(scene, start, end) {
  const block = scene.blockAt(start, end),
    row = Row.of(scene, block, start, end),
    kind = row?.kind ?? (block?.kind === "table" ? "code" : (block?.kind ?? ""));
  const markup = markupAt(scene, block, start, end),
    pieces = markup?.pieces ?? [];
  const cuts = seams(scene, start, end, row, markup),
    lines = [];
  let line = null,
    piece = 0; // of the markup, at or behind the part
  for (let k = 0; k + 1 < cuts.length; k++) {
    const from = cuts[k],
      text = scene.text.slice(from, cuts[k + 1]),
      [first, last] = bandsOver(scene, from);
    const marks = scene.marks.filter((mark) => mark.start <= from && mark.end >= cuts[k + 1]);
    const kinds = [...new Set(marks.flatMap(({ kind, fate }) => (fate ? [kind, fate] : [kind])))];
    const tick = first <= last && scene.S[last] === from ? tickOf(scene, last) : null;
    if (!line || tick?.classList.contains("tagged")) {
      lines.push((line = element("div", "line")));
      line.opens = tick !== null;
    }
    const other = scene.track?.markAt(from, start);
    for (const mark of [tick, other]) if (mark && !line.cells) line.append(mark);
    if (markup?.look === "figure" && text !== "\n" && !line.box) line.append((line.box = figureOf(from === start ? markup : {})));
    const place = row?.place(line, from) ?? (text === "\n" ? line : (line.box ?? line));
    for (const mark of [tick, other]) if (mark && !mark.parentNode) place.append(mark);
    const opening = marks.find((mark) => mark.fate && mark.start === from);
    if (opening) place.append(signOf(opening));
    for (const pin of scene.pinAt.get(from) ?? []) place.append(pinSign(pin, scene.outside));
    if (row?.hides(from)) kinds.push("hush");
    while (pieces[piece] && start + pieces[piece][1] <= from) piece++;
    if (pieces[piece] && start + pieces[piece][0] <= from) kinds.push(pieces[piece][2]);
    const part = element("span");
    part.textContent = text; // exactly the document's
    if (text.length === 1 && text.search(TURNS) === 0) kinds.push("turn");
    const token = lowerBound(scene.source.code.S, from + 1) - 1;
    if (token >= 0 && scene.source.code.E[token] > from) kinds.push(scene.source.code.classes[token]);
    Object.assign(part, {
      unit: from,
      look: classesOf(
        scene,
        first,
        last,
        kinds.filter((kind) => kind === "hit" || kind === "near"),
      ),
    });
    part.className = `part ${classesOf(scene, first, last, kinds)}`;
    if (first <= last) Object.assign(part.dataset, { c: last, first });
    place.append(part);
    if (part.look || text.trim()) {
      // white space after a chunk's end does not change the line's look
      line.look = part.look;
      if (first <= last) Object.assign(line.dataset, { c: last, first });
      else {
        delete line.dataset.c;
        delete line.dataset.first;
      }
    }
  }
  for (const [at, each] of lines.entries()) {
    const from = each.querySelector(".part").unit,
      to = lines[at + 1]?.querySelector(".part").unit ?? end;
    each.className = `line ${kind} ${markup?.look ?? ""} ${each.look ?? ""}${each.opens ? " opens" : ""}${block?.kind === "table" ? " tabular" : ""} ${scene.bracketAt(from, to)} ${scene.track?.bracketAt(from, to) ?? ""}`;
    if (each.querySelector(".pin-keep")) each.classList.add("kept");
    Row.tint(each);
    for (const part of each.querySelectorAll(".part"))
      if (part.look !== (each.look ?? "") && part.data !== "\n") part.classList.add("own");
  }
  return lines;
}

function blockOf(scene, layout, b) {
  const block = element("div", "block");
  block.dataset.b = b;
  for (let i = layout.blocks[b]; i < layout.blocks[b + 1]; i++)
    block.append(...linesOf(scene, layout.lines[i], layout.lines[i + 1]));
  return block;
}

const RANKS = ["intact", "split", "missed"];

// Several chunks that start on one line would overprint their numbers: the later one shows how many there are.
function spreadNumbers(shown) {
  let before = null;
  for (const number of shown.querySelectorAll(".number")) {
    const top = number.offsetTop,
      line = number.closest(".line");
    const same = before && before.line === line && Math.abs(before.top - top) < 4;
    if (same) {
      before.node.classList.add("covered");
      number.dataset.from = before.from;
    }
    before = { top, line, node: number, from: same ? before.from : number.firstChild.data };
  }
  const worst = new Map(); // of the answers that begin on one line, the sign of the worst stays
  for (const sign of shown.querySelectorAll(".sign")) {
    const place = `${sign.closest(".block").dataset.b} ${Math.round(sign.getBoundingClientRect().top)}`,
      known = worst.get(place);
    const keep = known && RANKS.indexOf(known.dataset.fate) >= RANKS.indexOf(sign.dataset.fate) ? known : sign;
    known?.classList.toggle("covered", keep !== known);
    sign.classList.toggle("covered", keep !== sign);
    worst.set(place, keep);
  }
}
