export default function (component) {
  const shared = (window.chunkscope ??= {});
  if (shared.ready) return shared.mount("NAME", component);
  let undo,
    gone = false;
  (shared.waiting ??= []).push(() => {
    if (!gone) undo = shared.mount("NAME", component);
  });
  return () => {
    gone = true;
    undo?.();
  };
}
