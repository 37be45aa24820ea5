// Answers of questions in a text: they are sent once; a moved boundary sends one letter per answer (intact, split or
// missed).
const FATES = {
  i: { name: "intact", sign: "✓" },
  s: { name: "split", sign: "✂\ufe0e" },
  m: { name: "missed", sign: "✕" },
};
shared.answers ??= new Map(); // key -> { rows: [start, end, text's place], texts }
shared.wanted ??= new Map(); // key -> functions that wait for it

function keepAnswers({ key, ...answers }) {
  shared.answers.set(key, answers);
  for (const resolve of shared.wanted.get(key) ?? []) resolve(answers);
  shared.wanted.delete(key);
  for (const old of shared.answers.keys()) if (shared.answers.size > KEPT && old !== key) shared.answers.delete(old);
}

function answersOf(key) {
  if (!key) return null;
  const known = shared.answers.get(key);
  if (known) return known;
  return new Promise((resolve) => {
    if (!shared.wanted.has(key)) shared.wanted.set(key, []);
    shared.wanted.get(key).push(resolve);
  });
}

// The invisible component that receives the answers of a document.
define(
  "answers",
  class {
    constructor(root) {
      hide(root);
    }
    show(data) {
      keepAnswers(data);
    }
    destroy() {}
  },
  "viewer",
);

// "chunk 3", "chunks 3 and 4", "chunks 3–7"
function bandsInWords(noun, numbers) {
  const all = numbers.map(fold),
    one = noun.toLowerCase();
  if (all.length === 1) return `${one} ${all[0]}`;
  return `${one}s ${all.length === 2 ? all.join(" and ") : `${all[0]}–${all.at(-1)}`}`;
}

// The line above the text: the numbers of intact, split and missed answers, each a button that goes to the next such
// answer.
class FateBar {
  constructor(parent, onGo) {
    this.el = element("div", "cs fates");
    this.el.setAttribute("role", "toolbar");
    this.el.setAttribute("aria-label", "Answers in this text");
    this.words = element("span", "about", "Answers in this text");
    this.buttons = Object.fromEntries(
      Object.values(FATES).map(({ name, sign }) => {
        const button = element("button", `fate ${name}`);
        button.type = "button";
        button.sign = element("i", "", sign);
        button.sign.setAttribute("aria-hidden", "true");
        button.count = element("b");
        button.word = element("span", "sample", name);
        button.append(button.sign, button.count, button.word);
        button.addEventListener("click", () => onGo(name));
        return [name, button];
      }),
    );
    this.el.addEventListener("keydown", (event) => this.onKey(event));
    this.other = element("span", "about other");
    this.el.append(this.words, ...Object.values(this.buttons), this.other);
    parent.append(this.el);
  }
  // As in every toolbar, Tab comes to one button, and the arrow keys go to the others.
  onKey(event) {
    const buttons = Object.values(this.buttons),
      at = buttons.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    this.stop(buttons[(to + buttons.length) % buttons.length]).focus();
  }
  stop(stop) {
    for (const button of Object.values(this.buttons)) button.tabIndex = button === stop ? 0 : -1;
    return stop;
  }
  // `answers`: those of scene.js; null hides the line. `other`: one letter per answer for the other split.
  show(answers, other) {
    this.el.hidden = answers === null;
    if (!answers) return;
    const inB = other
      ? Object.entries(FATES).map(([letter, { sign, name }]) => [
          `${sign} ${fold(other.split(letter).length - 1)}`,
          name,
        ])
      : [];
    this.other.textContent = inB.length ? `B: ${inB.map(([count]) => count).join("  ")}` : "";
    this.other.title = inB.length ? `The same answers in B: ${inB.map((words) => words.join(" ")).join(", ")}` : "";
    this.words.textContent = answers.length ? "Answers here" : "No question of this set is about this text.";
    for (const [name, button] of Object.entries(this.buttons)) {
      const count = answers.filter((answer) => answer.fate === name).length;
      button.hidden = !answers.length;
      // Not disabled: it would lose the focus while a slider moves
      button.setAttribute("aria-disabled", String(!count));
      button.count.textContent = fold(count);
      button.title = count ? `Go to the next answer that is ${name}` : `No answer is ${name}`;
      button.setAttribute("aria-label", `${fold(count)} ${name}: go to the next`);
    }
    const buttons = Object.values(this.buttons),
      isUsed = (button) => button.getAttribute("aria-disabled") === "false";
    if (!buttons.some((button) => button.matches(":focus"))) this.stop(buttons.findLast(isUsed) ?? buttons[0]);
  }
}
