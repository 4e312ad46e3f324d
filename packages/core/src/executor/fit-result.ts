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
  /** `@blob:<id>` of the whole text, if it was cut. */
  fullOutput?: string;
}

/** Media into blobs, text cut to its limit with the whole behind the handle. A blob store that fails costs the rest, never the result. */
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
  const blobId = await spill(text, options.blobs);
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

async function spill(text: string, blobs: BlobStore): Promise<string | undefined> {
  try {
    return (await blobs.put(text)).id;
  } catch (error) {
    // The cut text says that the rest was not kept; only a failure of the disk may be answered so.
    if (error instanceof LonghaulError && (error.code === 'store_full' || error.code === 'store_readonly'))
      return undefined;
    throw error;
  }
}
