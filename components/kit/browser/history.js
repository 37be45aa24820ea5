// The browser's Back goes back one visible step. Streamlit adds a history entry for every change of the address, which
// contains every setting: a dragged slider would be a hundred steps. Here only another page or another viewed object
// becomes an entry; every other change rewrites the current one. The server is notified of Back and Forward (share.py).
if (!shared.history) {
  shared.history = true;
  // Filled in by a page that opens: a step where another value stood
  const LOOKED_AT = ["doc", "index", "questions", "run"];
  const ASKED = ["q"]; // a step also where there was none
  const push = history.pushState.bind(history);
  let arriving = false; // on a page: until the user does something, what changes belongs to its entry
  for (const touched of ["pointerdown", "keydown"])
    addEventListener(
      touched,
      () => {
        arriving = false;
      },
      { capture: true },
    );
  const isStep = (from, to) => {
    if (from.pathname !== to.pathname) return (arriving = true);
    if (arriving) return false;
    const [before, after] = [from.searchParams, to.searchParams];
    return (
      ASKED.some((key) => before.get(key) !== after.get(key)) ||
      LOOKED_AT.some((key) => before.has(key) && after.has(key) && before.get(key) !== after.get(key))
    );
  };
  history.pushState = (state, title, address) => {
    const from = new URL(location.href),
      to = new URL(address ?? from, from);
    if (isStep(from, to)) push(state, title, address);
    else history.replaceState(state, title, address);
  };
}
