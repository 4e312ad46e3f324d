import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { type HtmlDocument, type HtmlElement, type HtmlNode, isElement } from './html-node.ts';
import { createMarkdown } from './markdown-rules.ts';
import type { PageText } from './page-text.ts';
import { plainText } from './plain-text.ts';

/** Finding the article takes time with the cube of the depth, and converting it recurses. */
const MAX_DEPTH = 200;
const MAX_ELEMENTS = 100_000;
/** An article with a smaller share of the page's text is probably the wrong part of it. */
const LEAST_SHARE = 0.25;
/** What is not for readers. Text that a browser does not show could only be meant for the model. */
const UNSEEN =
  'script,style,title,noscript,template,iframe,object,svg,canvas,link,meta,[hidden],[aria-hidden="true"],dialog:not([open])';
const AROUND = 'nav,header,footer,aside,form';

/**
 * Converts a page to Markdown: its article, or the whole page if it has none. Of a page that is nested too deeply or has
 * too many elements, the text alone is returned.
 */
export function htmlPage(html: string, url: string): PageText {
  const { document }: { document: HtmlDocument } = parseHTML(whole(html));
  const title = document.title.replaceAll(/\s+/g, ' ').trim();
  const base = baseOf(document, url);
  if (isTooLarge(document)) return { text: plainText(document.documentElement), title };
  for (const element of document.querySelectorAll(UNSEEN)) element.remove();
  for (const element of document.querySelectorAll('[style]')) if (isUnseen(element)) element.remove();
  makeAbsolute(document, base);
  const body = document.querySelector('body') ?? document.documentElement;
  const markdown = createMarkdown();
  const article = articleOf(document);
  if (article !== undefined && article.length >= LEAST_SHARE * textLength(body))
    return { text: markdown(article.element), title: article.title || title };
  return { text: markdown(body), title };
}

function isTooLarge(document: HtmlDocument): boolean {
  let elements = 0;
  let depth = 0;
  for (let node: HtmlNode | null = document.documentElement; node !== null; elements += 1) {
    if (elements > MAX_ELEMENTS || depth > MAX_DEPTH) return true;
    if (node.firstChild !== null) {
      node = node.firstChild;
      depth += 1;
      continue;
    }
    while (node !== null && node.nextSibling === null) {
      node = node.parentNode;
      depth -= 1;
    }
    node = node?.nextSibling ?? null;
  }
  return false;
}

function isUnseen(element: HtmlElement): boolean {
  return /display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|$)/i.test(
    element.getAttribute('style') ?? '',
  );
}

/** The reader changes its document, so it gets a copy. */
function articleOf(
  document: HtmlDocument,
): { element: HtmlElement; title: string; length: number } | undefined {
  const options = { serializer: (node: HtmlNode) => node, keepClasses: true };
  const article = new Readability<HtmlNode>(document.cloneNode(true), options).parse();
  const element = article?.content;
  if (!isElement(element)) return undefined;
  return { element, title: article?.title ?? '', length: textLength(element) };
}

/** Without blanks, and without what surrounds the text. */
function textLength(element: HtmlElement): number {
  const copy = element.cloneNode(true);
  for (const each of copy.querySelectorAll(AROUND)) each.remove();
  return (copy.textContent ?? '').replaceAll(/\s+/g, '').length;
}

function baseOf(document: HtmlDocument, url: string): string {
  const named = document.querySelector('base[href]')?.getAttribute('href');
  return (named == null ? undefined : URL.parse(named, url)?.href) ?? url;
}

/** Links and images get addresses that can be fetched. Of images without one, the description stays. */
function makeAbsolute(document: HtmlDocument, base: string): void {
  for (const link of document.querySelectorAll('a[href]')) {
    const url = addressIn(link, 'href', base);
    if (url === undefined) link.removeAttribute('href');
    else link.setAttribute('href', url);
  }
  for (const image of document.querySelectorAll('img')) {
    const url = addressIn(image, 'src', base);
    if (url === undefined) image.replaceWith(image.getAttribute('alt') ?? '');
    else image.setAttribute('src', url);
  }
}

/** Undefined: it runs code, is in the page itself, or is no address. */
function addressIn(element: HtmlElement, name: string, base: string): string | undefined {
  const url = URL.parse(element.getAttribute(name) ?? '', base);
  return url !== null && /^(?:https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

/** The parser adds no elements, and a page may consist of its content alone. */
function whole(html: string): string {
  return /<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`;
}
