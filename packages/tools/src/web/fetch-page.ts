import type { ToolResult } from '@longhaul/core';
import { byteSize, cutLine, sizeAndLimit } from '@longhaul/core/tool-output';
import { recogniseMedia } from '../file-type.ts';
import { failedResult, textResult } from '../tool-result.ts';
import { convertPage } from './convert-page.ts';
import { decodePage } from './decode-page.ts';
import { followRedirects, type WebAnswer } from './follow-redirects.ts';
import type { PageText } from './page-text.ts';
import { WebRefusal } from './web-refusal.ts';
import type { WebResponse } from './web-response.ts';
import type { Lookup } from './web-target.ts';

export interface FetchOptions {
  /**
   * Hosts that may be on this machine or a private network: names or addresses, with a port or without. `*` matches any
   * text. Default: none.
   */
  privateHosts?: readonly string[];
  /** Maximum characters that the model sees of a page. Default 30,000. */
  maxOutputChars?: number;
  /** Time for the answer, with all redirects. Default 30,000. */
  timeoutMs?: number;
  /** Time for converting the answer to text. Default 15,000. */
  conversionMs?: number;
  /** Maximum size of an answer, before and after decompression. Default 10 MB. */
  maxBytes?: number;
  /** Default: the resolver of the system. */
  lookup?: Lookup;
}

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const TITLE_CHARS = 100;

/** Reads a page for the model. What the model can react to is a result, also a refusal. */
export async function fetchPage(url: URL, options: FetchOptions, signal: AbortSignal): Promise<ToolResult> {
  const {
    timeoutMs = 30_000,
    maxBytes = 10_000_000,
    privateHosts = [],
    lookup,
    conversionMs = 15_000,
  } = options;
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const ends = AbortSignal.any([signal, late]);
    const answer = await followRedirects(url, { signal: ends, maxBytes, privateHosts, lookup });
    if (answer.leadsTo !== undefined) return redirected(answer, answer.leadsTo);
    return await shown(answer, { signal, deadlineMs: conversionMs });
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return failedResult(`${url.href} did not answer within ${timeoutMs / 1_000} seconds.`);
    if (error instanceof WebRefusal) return failedResult(error.message);
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return failedResult(
      `${url.href} cannot be read: ${error.message || 'no connection'} (${String(error.code)}).`,
    );
  }
}

/** Another host may have other rules, so it needs a call of its own. */
function redirected({ path, response }: WebAnswer, to: URL): ToolResult {
  const from = path.at(-1)?.href ?? '';
  return textResult(
    `${pathLine(path)}[${from} redirects to another host (${response.status}): ${to.href}. To read it, call fetch with this address.]`,
    {
      title: cutLine(`${from} → ${to.host}`, TITLE_CHARS),
      metadata: { url: from, status: response.status, redirect: to.href },
    },
  );
}

interface ShowOptions {
  signal: AbortSignal;
  deadlineMs: number;
}

async function shown({ path, response }: WebAnswer, options: ShowOptions): Promise<ToolResult> {
  const url = path.at(-1)?.href ?? '';
  const { status, mediaType, body } = response;
  const media = recogniseMedia(body);
  const facts = [status, media?.mediaType ?? mediaType, byteSize(body.length)]
    .filter((fact) => fact !== '')
    .join(', ');
  const isError = status < 200 || status > 299;
  const more = {
    title: cutLine(`${url} (${facts})`, TITLE_CHARS),
    metadata: { url, status, mediaType: media?.mediaType ?? mediaType, bytes: body.length },
    ...(isError && { isError }),
  };
  if (media?.kind === 'image')
    return { ...more, ...imageContent(`${pathLine(path)}[${url}: ${facts}]`, media.mediaType, body) };
  const page = await textOf(response, { ...options, url, isPdf: media?.kind === 'pdf' });
  if (page === undefined)
    return failedResult(
      `${url} is not text (${facts}). Download it with bash, for example with curl -o FILE.`,
      more,
    );
  const head = `${pathLine(path)}[${url}: ${[facts, page.extent].filter(Boolean).join(', ')}]`;
  return { ...more, content: [{ type: 'text', text: `${head}\n\n${withTitle(page)}` }] };
}

function pathLine(path: readonly URL[]): string {
  return path.length < 2 ? '' : `[redirected: ${path.map(({ href }) => href).join(' → ')}]\n`;
}

function imageContent(
  label: string,
  mediaType: string,
  body: Uint8Array,
): Pick<ToolResult, 'content' | 'isError'> {
  if (body.length > MAX_IMAGE_BYTES) {
    const { size, limit } = sizeAndLimit(body.length, MAX_IMAGE_BYTES);
    return {
      content: [{ type: 'text', text: `${label} is too large to show: ${size}, at most ${limit}.` }],
      isError: true,
    };
  }
  const data = Buffer.from(body).toString('base64');
  return {
    content: [
      { type: 'text', text: label },
      { type: 'image', data, mediaType },
    ],
  };
}

const HTML: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

/** Undefined: it is no text. */
async function textOf(
  { body, mediaType, charset }: WebResponse,
  { url, isPdf, ...options }: ShowOptions & { url: string; isPdf: boolean },
): Promise<PageText | undefined> {
  if (isPdf) return await converted({ kind: 'pdf', bytes: body }, { ...options, url });
  const text = decodePage(body, charset);
  if (text === undefined) return undefined;
  const isHtml = HTML.has(mediaType) || (mediaType === '' && /^\s*<(?:!doctype html|html)\b/i.test(text));
  return isHtml ? await converted({ kind: 'html', html: text, url }, { ...options, url }) : { text };
}

async function converted(
  source: Parameters<typeof convertPage>[0],
  { url, ...options }: ShowOptions & { url: string },
): Promise<PageText> {
  try {
    return await convertPage(source, options);
  } catch (error) {
    if (!(error instanceof WebRefusal)) throw error;
    throw new WebRefusal(
      `${url} cannot be converted to text: ${error.message}. Download it with bash, for example with curl -o FILE.`,
    );
  }
}

function withTitle({ text, title = '' }: PageText): string {
  if (text.trim() === '') return '[The page has no text. It may need a browser that runs its scripts.]';
  return title === '' || text.startsWith('# ') ? text : `# ${title}\n\n${text}`;
}
