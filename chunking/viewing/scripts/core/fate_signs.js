// One answer's state as a sign on a canvas: a green dot if it is intact, else red and larger: a diamond if it is split, a
// cross if it is missed. `style` has the colours of colours.py.
function drawFate(pen, fate, x, y, radius, style) {
  const colour = style.getPropertyValue(`--cs-${fate === "intact" ? "answer" : "warning"}`).trim(),
    far = 1.7 * radius;
  pen.beginPath();
  if (fate === "intact") pen.arc(x, y, radius, 0, 2 * Math.PI);
  else if (fate === "split") {
    pen.moveTo(x, y - far);
    pen.lineTo(x + 1.25 * radius, y);
    pen.lineTo(x, y + far);
    pen.lineTo(x - 1.25 * radius, y);
  } else {
    pen.moveTo(x - radius, y - radius);
    pen.lineTo(x + radius, y + radius);
    pen.moveTo(x + radius, y - radius);
    pen.lineTo(x - radius, y + radius);
    pen.lineWidth = Math.max(1, 0.7 * radius);
    pen.strokeStyle = colour;
    pen.stroke();
    return;
  }
  pen.fillStyle = colour;
  pen.fill();
}
