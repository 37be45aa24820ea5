// Streamlit as the host of the components (see core/define.js): one page has one of each name, so what they share is
// the page's, and the window is their bus.
const shared = (window.chunkscope ??= {});
shared.bus ??= window;
const LINGER = 250; // ms between two looks whether a component that was cleaned up has left the page

// For components that bring something and show nothing: their place on the page, and the gap after it, go.
function hide(root) {
  (root.host ?? root).closest('[data-testid="stElementContainer"]')?.style.setProperty("display", "none");
}

shared.mount = (name, component) => {
  const { parentElement: root, data } = component,
    queue = data.events ? queueOf(data.events.key) : null;
  queue?.attach(component, root, data.events.confirmed);
  const instance = showAt(root, name, data, queue),
    turn = instance.turns;
  // Streamlit also cleans up after an overtaken message, and then mounts the later one, at once or some milliseconds
  // later. Between them the component stands as it is: whoever clicks then clicks on it.
  const host = root.host ?? root;
  return function leave() {
    if (turn !== instance.turns) return;
    if (host.isConnected) {
      setTimeout(leave, LINGER);
      return;
    }
    queue?.detach(root);
    removeInstance(root, name);
  };
};
