import { type Document, isNode, isScalar, type Node } from 'yaml';

/** Returns the text of a changed file. Long lines stay, and lines end as before. */
export function documentText(document: Document, before: string): string {
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: true });
  return before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}

/** Sets a value. Empty sections that contain it, such as `gateway:` alone, become mappings and keep their comments. */
export function setInFile(document: Document, path: readonly string[], value: unknown): void {
  for (let length = 1; length < path.length; length += 1) {
    const section = path.slice(0, length);
    const node = document.getIn(section, true);
    if (isScalar(node) && node.value === null) replaceEmpty(document, section, document.createNode({}));
  }
  document.setIn(path, value);
}

/** Sets a key that is absent or has an empty value. The comments of the empty value stay. */
export function replaceEmpty(document: Document, path: readonly string[], value: Node): void {
  const empty = document.getIn(path, true);
  if (isNode(empty)) {
    const comments = [empty.commentBefore, empty.comment].filter((comment) => typeof comment === 'string');
    value.commentBefore = comments.length === 0 ? undefined : comments.join('\n');
  }
  document.setIn(path, value);
}
