import { parentPort, workerData } from 'node:worker_threads';
import type { PageSource, PageText } from './page-text.ts';

/** The program of a worker thread: converts one page. Each format loads its own parser. */
async function convert(source: PageSource): Promise<PageText> {
  if (source.kind === 'pdf') return await (await import('./pdf-text.ts')).pdfText(source.bytes);
  return (await import('./html-page.ts')).htmlPage(source.html, source.url);
}

parentPort?.postMessage(await convert(workerData));
