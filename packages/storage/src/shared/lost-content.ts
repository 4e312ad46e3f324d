import type { EventPayload, Part, TextContent } from '@longhaul/protocol';

const NAMES: Readonly<Record<string, string>> = {
  text: 'text',
  reasoning: 'reasoning',
  tool: 'tool call and its result',
  file: 'file',
  notice: 'notice',
  patch: 'record of changed files',
};

/** The notice that replaces a damaged part. Marks and handles refer to parts by index, so its place must be kept. */
export function lostPart(handle: string, type = ''): Part {
  return {
    type: 'notice',
    text: `[The ${NAMES[type] ?? 'part'} ${handle} was damaged on disk and cannot be read.]`,
    forModel: true,
  };
}

/** Replaces a damaged piece of a streamed text. */
export const LOST_TEXT = '[A piece of this text was damaged on disk and cannot be read.]';

/** The content that replaces that of a damaged queued message. */
export function lostMessage(): TextContent[] {
  return [{ type: 'text', text: '[A queued message was damaged on disk and cannot be read.]' }];
}

/** The event that replaces a damaged one, so that numbers have no gaps. */
export function lostEvent(number: number): EventPayload {
  return { type: 'context:warning', message: `Event ${number} was damaged on disk and cannot be read.` };
}
