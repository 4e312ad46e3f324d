import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { cutMiddle } from '@longhaul/context/engine';
import {
  type EventOf,
  isObject,
  type JsonValue,
  parseBlobReference,
  type ToolOutputContent,
  visibleLine,
} from '@longhaul/protocol';

/** More of an output is not shown in an editor. The session keeps all of it. */
const MAX_SHOWN_CHARS = 20_000;

/** Returns an output as content of a call. Images in the blob store are named, not sent. */
export function outputContent(toolName: string, output: readonly ToolOutputContent[]): ToolCallContent[] {
  return output.flatMap((part): ToolCallContent[] => {
    if (part.type === 'text') return part.text === '' ? [] : [textContent(shownText(toolName, part.text))];
    if (part.type === 'image' && parseBlobReference(part.data) === undefined) {
      const mimeType = part.mediaType ?? 'image/png';
      return [{ type: 'content', content: { type: 'image', data: part.data, mimeType } }];
    }
    return [textContent(part.type === 'image' ? '[image]' : `[file ${part.filename ?? part.mediaType}]`)];
  });
}

/** Returns the newest lines of a running command, from the metadata of its progress, or what else the tool reports. */
export function liveContent({
  title,
  metadata,
}: Pick<EventOf<'llm:tool-progress'>, 'title' | 'metadata'>): ToolCallContent[] {
  const lines = metadata?.['lines'];
  if (Array.isArray(lines))
    return [textContent(fenced(lines.filter((line) => typeof line === 'string').join('\n')))];
  return title === undefined ? [] : [textContent(fenced(visibleLine(title)))];
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Editors show text as Markdown, where an output would lose its line breaks. */
function shownText(toolName: string, text: string): string {
  const { text: shown } = cutMiddle(text, MAX_SHOWN_CHARS);
  return toolName === 'recall' ? shown : fenced(shown);
}

/** Returns text as a block of Markdown. Its fence is longer than any in the text. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/**
 * Returns the arguments for programs. Undefined if they are not an object: the protocol allows any value, clients do
 * not.
 */
export function rawInputOf(args: JsonValue): JsonValue | undefined {
  return isObject(args) ? args : undefined;
}
