/** What a page says. */
export interface PageText {
  text: string;
  title?: string;
  /** Such as `12 pages`. */
  extent?: string;
}

/** What is converted: the text of an HTML page, or the bytes of a PDF. */
export type PageSource = { kind: 'html'; html: string; url: string } | { kind: 'pdf'; bytes: Uint8Array };
