// Drawings over a page: a button for each band of the text (block, chunk or hit) on it, and left-out text.

const BESIDE = 4,
  ABOVE = 2; // pixels between letters and the edge of their box
const LETTERS = 600; // most characters that are written into a box without a picture behind it
const around = (share, pixels) => `calc(${100 * share}% + ${pixels}px)`;

// Bands on a page, in reading order: { at, start, end, name, tag, look, regions, i }; `at` is its start on this page.
function bandsOn(paper, page, scene) {
  if (!scene?.bands) return [];
  const { starts, ends } = scene.bands,
    touched = new Set(),
    gone = new Set(paper.out.map(([start]) => start));
  for (const line of paper.linesOn(page)) {
    const last = lowerBound(starts, paper.ends[line]) - 1;
    for (let i = lowerBound(ends, paper.starts[line] + 1); i <= last; i++) if (!gone.has(starts[i])) touched.add(i);
  }
  return [...touched]
    .sort((a, b) => a - b)
    .map((i) => bandOn(paper, page, scene, i))
    .filter(({ regions }) => regions.length);
}

function bandOn(paper, page, scene, i) {
  const [start, end] = [scene.bands.starts[i], scene.bands.ends[i]],
    hit = scene.hitAt.get(start),
    mark = scene.markOf(i);
  const first = paper.linesOn(page).find((line) => paper.starts[line] < end && paper.ends[line] > start);
  const tag = hit
    ? `hit ${hit}`
    : mark === "near"
      ? "neighbour"
      : scene.toneOf(i)
        ? scene.labelOf(i)
        : `${scene.noun.toLowerCase()} ${scene.labelOf(i)}`;
  return {
    i,
    start,
    end,
    tag,
    at: Math.max(start, paper.starts[first]),
    look: mark || scene.lookOf(i),
    regions: paper.regions(page, start, end),
    name: `${tag}: ${wordsOf(paper.doc, start, end)}`,
  };
}

// Running headers and the like: in no chunk, dashed. Where the text has a band for them, they can be picked.
function leftOn(paper, page, scene) {
  const bandAt = (start) => {
    const i = scene?.bands ? lowerBound(scene.bands.starts, start) : -1;
    return i >= 0 && scene.bands.starts[i] === start ? i : -1;
  };
  return paper.out
    .map(([start, end, reason]) => ({
      i: bandAt(start),
      start,
      end,
      at: start,
      tag: `left out: ${reason}`,
      look: "out",
      regions: paper.regions(page, start, end),
      name: `left out, ${reason}: ${wordsOf(paper.doc, start, end)}`,
    }))
    .filter(({ regions }) => regions.length);
}

function wordsOf(doc, start, end, most = 60) {
  const known = shared.texts?.get(doc);
  return known
    ? known.text.slice(known.ruler.toUnit(start), known.ruler.toUnit(Math.min(end, start + most))).replace(/\s+/g, " ")
    : "";
}

// One band as elements: its first region is the option that a screen reader finds, the others belong to it.
// `doc`: write the text into the first box, where there is no picture that shows it.
function boxesOf(band, number, doc) {
  return band.regions.map(([left, top, right, bottom], k) => {
    const box = element("div", `box ${band.look}${k ? " more" : ""}`);
    Object.assign(box.style, {
      left: around(left, -BESIDE),
      top: around(top, -ABOVE),
      width: around(right - left, 2 * BESIDE),
      height: around(bottom - top, 2 * ABOVE),
    });
    box.style.zIndex = 1 + Math.round(200 * (1 - (right - left) * (bottom - top))); // small ones can be reached
    box.dataset.k = number;
    box.append(element("span", top < 0.03 ? "tag under" : "tag", band.tag));
    if (doc && !k) box.append(element("span", "words", wordsOf(doc, band.at, band.end, LETTERS)));
    if (k) box.setAttribute("aria-hidden", "true");
    else {
      box.id = `box${number}`;
      box.setAttribute("role", "option");
      box.setAttribute("aria-label", band.name);
    }
    return box;
  });
}
