import { extractText, getDocumentProxy } from 'unpdf';
import type { PageText } from './page-text.ts';

const MAX_PAGES = 1_000;

/** Returns the text of a PDF, page by page. */
export async function pdfText(bytes: Uint8Array): Promise<PageText> {
  const document = await getDocumentProxy(bytes, { verbosity: 0 });
  if (document.numPages > MAX_PAGES)
    throw new Error(`it has ${document.numPages} pages, and at most ${MAX_PAGES} are read`);
  const { text } = await extractText(document, { mergePages: false });
  const pages = text.map((page, index) => `## Page ${index + 1}\n\n${page.trim()}`);
  const extent = `${document.numPages} ${document.numPages === 1 ? 'page' : 'pages'}`;
  const isEmpty = text.every((page) => page.trim() === '');
  return { text: isEmpty ? '[No page has text: it may consist of images.]' : pages.join('\n\n'), extent };
}
