export function ContextPanel() {
  return <h2>Context</h2>;
}
