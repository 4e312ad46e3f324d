import type { Tool } from '@longhaul/core';
import { FETCH_DIALECT } from './dialect/command-dialects.ts';
import { parseInput } from './input-parser.ts';
import type { FetchOptions } from './web/fetch-page.ts';
import { parseWebUrl } from './web/parse-web-url.ts';
import { WebRefusal } from './web/web-refusal.ts';

export interface FetchInput {
  /** Complete and normalised. */
  url: string;
}

/** Creates the tool that reads web pages. Its requests leave from this machine, not from the sandbox. */
export function createFetchTool(options: FetchOptions = {}): Tool<FetchInput> {
  return {
    name: 'fetch',
    aliases: FETCH_DIALECT.names,
    isReadOnly: true,
    maxOutputChars: options.maxOutputChars ?? 30_000,
    schema: {
      name: 'fetch',
      description: 'Read a web page or PDF as text.',
      parameters: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
    },
    parse: (value) =>
      parseInput(value, FETCH_DIALECT, (fields) => ({ url: readUrl(fields.text('url'), fields) })),
    async execute({ url }, { signal }) {
      const { fetchPage } = await import('./web/fetch-page.ts');
      return await fetchPage(new URL(url), options, signal);
    },
  };
}

/** What is judged and shown is the address in its normal form. */
function readUrl(text: string, { problem }: { problem: (reason: string) => void }): string {
  try {
    return parseWebUrl(text).href;
  } catch (error) {
    if (!(error instanceof WebRefusal)) throw error;
    problem(error.message);
    return '';
  }
}
