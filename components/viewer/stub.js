// All that is sent with each message: the code proper comes once, with the text (deliver.js).
export default function (component) {
  const shared = (window.chunkscope ??= {});
  if (shared.show) return shared.show(component);
  let undo = null, gone = false;
  (shared.waiting ??= []).push(() => { if (!gone) undo = shared.show(component); });
  return () => { gone = true; undo?.(); };
}
