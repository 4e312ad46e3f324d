import { blobReference, LonghaulError, type ToolOutputContent } from '@longhaul/protocol';
import type { BlobStore } from '../ports/index.ts';
import type { ToolResult } from '../ports/tool.ts';
import { storeMedia } from '../session/messages/media.ts';
import { sanitizeToolResult } from '../tool-output/output-sanitizer.ts';
import {
  formatToolOutput,
  keepHeadAndTail,
  truncateToolOutput,
} from '../tool-output/tool-output-truncator.ts';

export interface FittedResult {
  content: ToolOutputContent[];
  /** `@blob:<id>` of the full text, if it was truncated. */
  fullOutput?: string;
}

/**
 * Stores media as blobs and truncates text to `maxChars`. The full text of a truncated result is stored as a blob and
 * can be read by its handle. If the blob store is full or read-only, the truncated text is returned without a handle.
 *
 * @throws {LonghaulError} Other failures of the blob store; for media, all of them.
 */
export async function fitResult(
  result: ToolResult,
  options: { maxChars: number; handle: string; blobs: BlobStore },
): Promise<FittedResult> {
  const content = await storeMedia(sanitizeToolResult(result.content), options.blobs);
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const media = content.filter((part) => part.type !== 'text');
  if (result.fullOutput !== undefined) {
    const { blobId, chars } = result.fullOutput;
    const shown = text.length <= options.maxChars ? text : keepHeadAndTail(text, options.maxChars).text;
    const body = formatToolOutput(shown, { handle: options.handle, chars });
    return { content: [{ type: 'text', text: body }, ...media], fullOutput: blobReference(blobId) };
  }
  if (text.length <= options.maxChars) return { content };
  const blobId = await storeText(text, options.blobs);
  const cut = truncateToolOutput(text, {
    maxChars: options.maxChars,
    keep: 'head-tail',
    handle: blobId === undefined ? undefined : options.handle,
  });
  return {
    content: [{ type: 'text', text: cut.text }, ...media],
    fullOutput: blobId === undefined ? undefined : blobReference(blobId),
  };
}

async function storeText(text: string, blobs: BlobStore): Promise<string | undefined> {
  try {
    return (await blobs.put(text)).id;
  } catch (error) {
    // The truncated text then says that the rest was not kept.
    if (error instanceof LonghaulError && (error.code === 'store_full' || error.code === 'store_readonly'))
      return undefined;
    throw error;
  }
}
