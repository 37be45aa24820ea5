// Close a menu when something in it is chosen. Streamlit leaves a popover open: behind the requested dialog it took the
// first Escape, and was there again afterwards. Escape closes it and gives the focus to its button, from which a dialog
// takes it and to which it returns it; a click on the button would count as one without a pointer, after which a dialog
// does not take the focus.
if (!shared.menu) {
  shared.menu = true;
  addEventListener("click", ({ target }) => {
    if (!target.closest?.(".st-key-workspace-menu [data-testid=stButton] button")) return;
    setTimeout(() => target.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })));
  });
}
