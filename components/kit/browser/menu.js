// A menu closes when something in it is chosen, as menus do. Streamlit leaves a popover open: behind the dialog that was asked for, it
// took the first Escape, and stood there again afterwards. Escape closes it and gives the focus to its button, from which a dialog takes
// it and gives it back; a click on the button would count as one of no pointer, after which a dialog does not take the focus.
if (!shared.menu) {
  shared.menu = true;
  addEventListener("click", ({ target }) => {
    if (!target.closest?.(".st-key-workspace-menu [data-testid=stButton] button")) return;
    setTimeout(() => target.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })));
  });
}
