export function FilesPanel() {
  return <h2>Changed files</h2>;
}
