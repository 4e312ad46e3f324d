// The part of a document that is used here. Programs for Node.js are compiled without the types of browsers.

export interface HtmlNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly textContent: string | null;
  readonly firstChild: HtmlNode | null;
  readonly nextSibling: HtmlNode | null;
  readonly parentNode: HtmlNode | null;
}

export interface HtmlElement extends HtmlNode, HtmlSelectors {
  readonly children: Iterable<HtmlElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  closest(selector: string): HtmlElement | null;
  cloneNode(deep: true): HtmlElement;
  remove(): void;
  replaceWith(text: string): void;
}

export interface HtmlDocument extends HtmlSelectors {
  readonly title: string;
  readonly documentElement: HtmlElement;
  cloneNode(deep: true): HtmlDocument;
}

interface HtmlSelectors {
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
}

export function isElement(node: HtmlNode | null | undefined): node is HtmlElement {
  return node?.nodeType === 1;
}
