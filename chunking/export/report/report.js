(() => {
  const plots = JSON.parse(document.getElementById("plots").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const options = { displayModeBar: false, responsive: true };
  const boxes = [...document.querySelectorAll(".plot[data-plot]")];
  const draw = (theme, width) => {
    for (const box of boxes) {
      if (!box.offsetParent) continue; // in a fold: drawn when it opens
      const figure = plots[box.dataset.plot][theme];
      const size = { height: Number(box.dataset.height), ...(width ? { width } : {}) };
      Plotly.react(box, figure.data, { ...figure.layout, ...size }, options);
    }
  };
  const seen = () => draw(dark.matches ? "dark" : "light");
  seen();
  dark.addEventListener("change", seen);
  document.addEventListener("toggle", seen, true);
  const paper = 660; // pixels between the margins of a printed page
  addEventListener("beforeprint", () => draw("light", paper));
  addEventListener("afterprint", seen);
  document.documentElement.classList.add("drawn");
})();
