import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describePatch, type Message, type Part, type ToolPart } from '@longhaul/protocol';
import { isRequired } from '@longhaul/testing/machine';

const folder = process.env['LONGHAUL_TRANSCRIPTS'] ?? '';

/** Returns why the tests on real sessions are skipped, or undefined if they run. */
export function missingTranscripts(): string | undefined {
  const isThere = folder !== '' && existsSync(folder);
  if (isThere) return undefined;
  const reason = 'LONGHAUL_TRANSCRIPTS is not a folder of recorded sessions';
  if (isRequired('transcripts')) throw new Error(`LONGHAUL_REQUIRE names transcripts, but ${reason}`);
  return reason;
}

export function transcriptNames(): string[] {
  return missingTranscripts() === undefined
    ? readdirSync(folder).filter((name) => /\.jsonl?$/.test(name))
    : [];
}

export function readTranscript(name: string): Buffer {
  return readFileSync(join(folder, name));
}

export function readFixture(name: string): Buffer {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url));
}

/** Returns a session as one line a message, for comparisons. */
export function outline(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    const mark = message.metadata?.['isCompactSummary'] === true ? ' (summary)' : '';
    return `${message.role}${mark}: ${message.parts.map(outlinePart).join(' | ')}`;
  });
}

function outlinePart(part: Part): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'file') return `file ${part.mediaType}`;
  if (part.type === 'patch') return describePatch(part);
  return part.type === 'tool' ? outlineCall(part) : `${part.type} ${part.text}`;
}

function outlineCall({ name, input, inputText, state, output }: ToolPart): string {
  const contents = output?.map((content) => (content.type === 'text' ? content.text : content.type)) ?? [];
  return `${name}${inputText ?? JSON.stringify(input)} ${state} → ${contents.join(', ')}`;
}
