import type { HtmlNode } from './html-node.ts';

/** Elements that begin a line. */
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
);
const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'head', 'svg', 'iframe']);

/** Returns the text below an element, with a line for each block. Does not recurse, so any depth is fine. */
export function plainText(root: HtmlNode): string {
  const pieces: string[] = [];
  for (let node: HtmlNode | null = root; node !== null; ) {
    const name = node.nodeName.toLowerCase();
    if (node.nodeType === 3) pieces.push((node.nodeValue ?? '').replaceAll(/\s+/g, ' '));
    else if (BLOCKS.has(name)) pieces.push('\n');
    node = nextNode(node, root, UNSEEN.has(name));
  }
  return pieces
    .join('')
    .replaceAll(/ ?\n[ \n]*/g, '\n')
    .trim();
}

function nextNode(node: HtmlNode, root: HtmlNode, skipsChildren: boolean): HtmlNode | null {
  if (!skipsChildren && node.firstChild !== null) return node.firstChild;
  for (let at: HtmlNode | null = node; at !== null && at !== root; at = at.parentNode)
    if (at.nextSibling !== null) return at.nextSibling;
  return null;
}
