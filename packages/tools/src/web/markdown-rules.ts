import TurndownService from 'turndown';
import { type HtmlElement, type HtmlNode, isElement } from './html-node.ts';

/** Returns a function that writes an element as Markdown, with tables. */
export function createMarkdown(): (element: HtmlElement) => string {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  service.addRule('item', { filter: 'li', replacement: writtenBy(item) });
  service.addRule('cell', { filter: ['td', 'th'], replacement: (content) => ` ${cell(content)} |` });
  service.addRule('row', { filter: 'tr', replacement: writtenBy(row) });
  service.addRule('part of a table', {
    filter: ['thead', 'tbody', 'tfoot', 'colgroup'],
    replacement: (content) => content,
  });
  service.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` });
  return (element) => tidy(service.turndown(element));
}

/** The nodes are those of the element that is written. Their types in `turndown` exist in browsers only. */
function writtenBy(write: (content: string, node: HtmlNode) => string) {
  return (content: string, node: unknown): string => write(content, node as HtmlNode);
}

function item(content: string, node: HtmlNode): string {
  const parent = node.parentNode;
  const marker = isElement(parent) && parent.nodeName === 'OL' ? `${numberOf(node, parent)}. ` : '- ';
  const text = content.trim().replaceAll('\n', `\n${' '.repeat(marker.length)}`);
  return `${marker}${text}\n`;
}

function numberOf(node: HtmlNode, list: HtmlElement): number {
  const first = Number.parseInt(list.getAttribute('start') ?? '1', 10);
  return (Number.isNaN(first) ? 1 : first) + (placesIn(list).get(node) ?? 0);
}

const places = new WeakMap<HtmlNode, ReadonlyMap<HtmlNode, number>>();

/** They are counted once: a list can have very many items. */
function placesIn(list: HtmlElement): ReadonlyMap<HtmlNode, number> {
  const known = places.get(list);
  if (known !== undefined) return known;
  const items = [...list.children].filter(({ nodeName }) => nodeName === 'LI');
  const counted = new Map(items.map((each, index) => [each, index]));
  places.set(list, counted);
  return counted;
}

/** A cell is one line. */
function cell(content: string): string {
  return content
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
}

/** Markdown needs a heading: the first row is one. */
function row(content: string, node: HtmlNode): string {
  const line = `|${content}\n`;
  if (!isElement(node) || node.closest('table')?.querySelector('tr') !== node) return line;
  const cells = [...node.children].filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH').length;
  return `${line}|${' --- |'.repeat(cells)}\n`;
}

function tidy(markdown: string): string {
  return markdown
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
