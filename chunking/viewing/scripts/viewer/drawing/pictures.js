// Pictures whose bytes are in the text itself (data: addresses of Markdown). Nothing is ever fetched, only formats that
// hold pixels alone are drawn, and only within bounds; every other picture is a box with its description.
const MOST_BYTES = 2_000_000, // of a picture, as base64
  MOST_PICTURES = 200, // of a text
  MOST_PIXELS = 16_000_000;
const PICTURE = /!\[([^[\]\n]{0,500})\]\(data:([a-z]+\/[-+.a-z0-9]+);base64,([A-Za-z0-9+/]+={0,2})\)/g;
const PICTURE_HEIGHT = 280; // of its box: see style.css

// The pictures of a text: { start, end, label: [start, end], address }, found once; without an address it is not drawn.
function picturesOf(source) {
  if (source.pictures) return source.pictures;
  const found = [];
  for (const match of source.markdown ? source.text.matchAll(PICTURE) : []) {
    if (found.length >= MOST_PICTURES) break;
    const [whole, label, type, data] = match,
      start = match.index;
    found.push({
      start,
      end: start + whole.length,
      label: [start + 2, start + 2 + label.length],
      address: isModest(type, data) ? `data:${type};base64,${data}` : "",
    });
  }
  return (source.pictures = found);
}

// The markup of the part [start, end) of a picture: its description is seen, the address folded. Null elsewhere.
function pictureAt(source, start, end) {
  const picture = picturesOf(source).find((one) => one.start < end && one.end > start);
  if (!picture || source.text.slice(source.text.lastIndexOf("\n", picture.start) + 1, picture.start).trim()) return null;
  const [from, to] = picture.label,
    pieces = [];
  for (const [a, b, classes] of [
    [picture.start, from, "hush"],
    [from, to, "md-image"],
    [to, picture.end, "hush"],
  ])
    if (Math.min(b, end) > Math.max(a, start)) pieces.push([Math.max(a, start) - start, Math.min(b, end) - start, classes]);
  const opens = picture.start >= start;
  return { look: opens ? "figure" : "hidden", pieces, address: opens ? picture.address : "" };
}

// Whether the picture's own header says a size within bounds; unreadable ones are not drawn.
function isModest(type, data) {
  if (!sizeIn[type] || data.length > MOST_BYTES) return false;
  let bytes;
  try {
    bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  } catch {
    return false;
  }
  const view = new DataView(bytes.buffer),
    [width, height] = (bytes.length > 24 && sizeIn[type](view)) || [0, 0];
  return width > 0 && height > 0 && width * height <= MOST_PIXELS;
}
const sizeIn = {
  "image/png": (view) => (view.getUint32(0) === 0x89504e47 ? [view.getUint32(16), view.getUint32(20)] : null),
  "image/gif": (view) => (view.getUint32(0) === 0x47494638 ? [view.getUint16(6, true), view.getUint16(8, true)] : null),
  "image/jpeg": (view) => {
    if (view.getUint16(0) !== 0xffd8) return null;
    for (let at = 2; at + 9 < view.byteLength && view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
      const kind = view.getUint8(at + 1);
      if (kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind))
        return [view.getUint16(at + 7), view.getUint16(at + 5)];
    }
    return null;
  },
};

// The box of a picture that stands alone in its line; its description, characters of the text, is drawn into it.
function figureOf({ address }) {
  const box = element("span", address ? "box drawn-picture" : "box");
  if (!address) return box;
  const picture = element("img");
  Object.assign(picture, { src: address, alt: "", draggable: false }); // the description is beside it
  box.append(picture);
  return box;
}
