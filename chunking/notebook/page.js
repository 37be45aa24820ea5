// A file as the model of the widget (host.js): without a kernel, it answers from the steps computed when the file was
// written.
const { state, steps, values } = JSON.parse(document.getElementById("state").textContent);
const heard = new Map(); // "change:NAME" -> functions
const chosen = Object.fromEntries(state._form.map(({ key, text }) => [key, text]));

// The value of the step nearest to the requested one.
function nearest(key, text) {
  const far = (one) =>
    Math.abs(parseFloat(one) - parseFloat(text)) + (one.endsWith("%") === text.endsWith("%") ? 0 : 1e6);
  return values[key].reduce((best, one) => (far(one) < far(best) ? one : best));
}

const model = {
  get: (name) => state[name],
  on(name, call) {
    heard.set(name, [...(heard.get(name) ?? []), call]);
  },
  off(name, call) {
    heard.set(
      name,
      (heard.get(name) ?? []).filter((one) => one !== call),
    );
  },
  send({ nonce, number, key, value }) {
    const next = { _confirmed: { [nonce]: number } };
    if (key === "viewer") next._view = { ...state._view, at: value.at };
    else if (key in chosen) {
      chosen[key] = nearest(key, value.text);
      const step = steps[`${chosen.size} ${chosen.overlap}`];
      next._view = { ...state._view, ...step.view, run: state._view.run + 1 };
      next._strip = step.strip;
      next._form = state._form.map((row) => ({
        ...row,
        text: chosen[row.key],
        turn: row.turn + (row.key === key && chosen[key] !== value.text ? 1 : 0),
        whole: row.whole && +chosen.size,
        maximum: row.whole ? chosen.size - 1 : row.maximum,
      }));
      if (step.dial) next._dial = { ...step.dial, trace: [...state._dial.trace.slice(-23), ...step.dial.trace] };
    }
    for (const [name, given] of Object.entries(next)) {
      state[name] = given;
      for (const call of heard.get(`change:${name}`) ?? []) call();
    }
  },
};
render({ model, el: document.getElementById("here") });
