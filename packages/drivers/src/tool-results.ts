import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import type { ViewAssistantPart } from '@longhaul/context/engine';
import type { ModelInfo } from '@longhaul/core';
import { type PromptPart, toPromptPart } from './media/media-parts.ts';
import type { WireProfile } from './wire-profile.ts';

type ViewToolPart = Extract<ViewAssistantPart, { type: 'tool' }>;

export interface ToolResult {
  output: LanguageModelV4ToolResultOutput;
  /** Content for a user message after the result, because the result itself cannot hold it. */
  following: PromptPart[];
}

/**
 * Converts a tool's output to what the wire format supports: one text, media in it or in a message after it, errors
 * marked.
 */
export function toToolResult(
  part: ViewToolPart,
  accepts: ModelInfo['accepts'],
  profile: WireProfile,
): ToolResult {
  const parts = part.output.map((content) => toPromptPart(content, accepts, profile));
  const media = parts.filter((entry) => entry.type === 'file');
  const text = parts.flatMap((entry) => (entry.type === 'text' ? [entry.text] : [])).join('\n');
  if (media.length === 0) return { output: textOutput(text || '(no output)', part, profile), following: [] };

  // A result can be flagged as an error or hold media, but not both.
  if (profile.mediaInToolResults && !part.isError) {
    // Some servers treat a result without text as a missing result.
    const value = [{ type: 'text' as const, text: text || '(no text, media only)' }, ...media];
    return { output: { type: 'content', value }, following: [] };
  }
  const note = media.length === 1 ? 'The file follows' : `${media.length} files follow`;
  const noted = `${text === '' ? '' : `${text}\n`}[${note} in the next message.]`;
  const caption: PromptPart = { type: 'text', text: `Output of the tool ${part.name}:` };
  return { output: textOutput(noted, part, profile), following: [caption, ...media] };
}

function textOutput(text: string, part: ViewToolPart, profile: WireProfile): LanguageModelV4ToolResultOutput {
  if (!part.isError) return { type: 'text', value: text };
  const says = profile.flagsErrors || /^\W*error/i.test(text);
  return { type: 'error-text', value: says ? text : `Error: ${text}` };
}
