(() => {
  const plots = JSON.parse(document.getElementById("plots").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const options = { displayModeBar: false, responsive: true };
  const draw = (theme) => {
    for (const box of document.querySelectorAll(".plot[data-plot]")) {
      const figure = plots[box.dataset.plot][theme];
      Plotly.react(box, figure.data, { ...figure.layout, height: Number(box.dataset.height) }, options);
    }
  };
  const seen = () => draw(dark.matches ? "dark" : "light");
  seen();
  dark.addEventListener("change", seen);
  let closed = [];
  addEventListener("beforeprint", () => {
    draw("light");
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const box of closed) box.open = true;
  });
  addEventListener("afterprint", () => {
    seen();
    for (const box of closed) box.open = false;
  });
  document.documentElement.classList.add("drawn");
})();
