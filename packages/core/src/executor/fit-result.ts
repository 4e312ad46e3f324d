import { blobReference, LonghaulError, type ToolOutputContent } from '@longhaul/protocol';
import type { BlobStore } from '../ports/index.ts';
import type { ToolResult } from '../ports/tool.ts';
import { storeMedia } from '../session/messages/media.ts';
import { sanitizeToolResult } from '../tool-output/output-sanitizer.ts';
import { formatToolOutput, truncateToolOutput } from '../tool-output/tool-output-truncator.ts';

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
  const keep = 'head-tail' as const;
  if (result.fullOutput !== undefined) {
    const { blobId, chars } = result.fullOutput;
    const cut = truncateToolOutput(text, { maxChars: options.maxChars, keep });
    const body = cut.truncated ? cut.text.slice(0, cut.text.lastIndexOf('\n[Output truncated')) : text;
    const whole = formatToolOutput(body, { handle: options.handle, chars });
    return { content: [{ type: 'text', text: whole }, ...media], fullOutput: blobReference(blobId) };
  }
  if (text.length <= options.maxChars) return { content };
  const blobId = await spill(text, options.blobs);
  const handle = blobId === undefined ? {} : { handle: options.handle };
  const cut = truncateToolOutput(text, { maxChars: options.maxChars, keep, ...handle });
  const fullOutput = blobId === undefined ? {} : { fullOutput: blobReference(blobId) };
  return { content: [{ type: 'text', text: cut.text }, ...media], ...fullOutput };
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
