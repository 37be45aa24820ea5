// Runs when a text arrives. It comes with the code above, so this is also where the viewer becomes ready.
const views = new WeakMap();   // parent element -> View

shared.show = (component) => {
  const { parentElement, data } = component;
  let view = views.get(parentElement);
  if (!view) views.set(parentElement, (view = new View(parentElement)));
  view.component = component;
  const turn = (view.calls = (view.calls ?? 0) + 1);
  shared.views = (shared.views ?? 0) + (turn === 1 ? 1 : 0);
  view.show(data).catch((error) => { view.shown.textContent = `The text cannot be shown (${error.message}); reload the page.`; });
  // Streamlit also calls this for a message that was overtaken: the view then belongs to the later one.
  return () => {
    if (turn !== view.calls) return;
    view.destroy();
    views.delete(parentElement);
    shared.views -= 1;
  };
};

export default function ({ data }) {
  keepText(data);
  for (const start of shared.waiting ?? []) start();
  shared.waiting = [];
}
