// The styles come as data. From now on components can be mounted; those that came first have waited.
export default function ({ data, parentElement }) {
  hide(parentElement);
  shared.styles = data.styles;
  shared.ready = true;
  for (const start of shared.waiting ?? []) start();
  shared.waiting = [];
}
