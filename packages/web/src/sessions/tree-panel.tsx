export function TreePanel() {
  return <h2>Branches</h2>;
}
