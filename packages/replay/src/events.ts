import type { Message, Part, ToolPart } from '@longhaul/protocol';
import { argumentsText, textOf } from './importers/part-text.ts';

/**
 * A unit that the measures count: a user text, an assistant text, a tool call with its arguments as compact JSON, or a
 * tool result. Reasoning and system texts are not events.
 */
export interface SessionEvent {
  kind: 'user' | 'assistant' | 'call' | 'result';
  text: string;
  /** Only for calls and results. */
  callId?: string;
  /** The tool's name. Only for calls and results. */
  name?: string;
  /** The path argument of the call. A result has the path of its call. */
  path?: string;
  /** `sequence` of its message. */
  sequence: number;
}

export interface EventOptions {
  /**
   * Whether compaction summaries of the recorded agent count as user text. Default: false, because they are not part of
   * the work.
   */
  summaries?: boolean;
}

/**
 * Returns the events of a session in order. The texts and calls of a message come first, then the results of its calls,
 * as a model sees them.
 */
export function toEvents(messages: readonly Message[], options: EventOptions = {}): SessionEvent[] {
  return messages.flatMap((message) => {
    if (message.metadata?.['isCompactSummary'] === true && options.summaries !== true) return [];
    return [...message.parts.flatMap((part) => saidIn(part, message)), ...resultsIn(message)];
  });
}

/**
 * A run of consecutive assistant events (texts and calls): the index of its first event, and the index after its last
 * one.
 */
export interface EventStep {
  from: number;
  to: number;
}

export function stepsOf(events: readonly Pick<SessionEvent, 'kind'>[]): EventStep[] {
  const steps: EventStep[] = [];
  let open: EventStep | undefined;
  for (const [index, event] of events.entries()) {
    if (event.kind === 'user' || event.kind === 'result') {
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = { from: index, to: index + 1 };
      steps.push(open);
    } else {
      open.to = index + 1;
    }
  }
  return steps;
}

function saidIn(part: Part, { role, sequence }: Message): SessionEvent[] {
  if (part.type === 'tool') return [{ kind: 'call', text: argumentsText(part), ...namesOf(part), sequence }];
  const isText = part.type === 'text' || (part.type === 'notice' && part.forModel);
  return isText && part.text !== '' ? [{ kind: role, text: part.text, sequence }] : [];
}

function resultsIn({ parts, sequence }: Message): SessionEvent[] {
  return parts
    .filter((part): part is ToolPart => part.type === 'tool' && part.output !== undefined)
    .map((part) => ({ kind: 'result', text: textOf(part.output ?? []), ...namesOf(part), sequence }));
}

function namesOf(part: ToolPart): Pick<SessionEvent, 'callId' | 'name' | 'path'> {
  const path = pathOf(part);
  return { callId: part.callId, name: part.name, path };
}

const PATH_KEYS = [
  'path',
  'file_path',
  'filePath',
  'notebook_path',
  'file',
  'filename',
  'target_file',
] as const;

function pathOf({ input }: ToolPart): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  for (const key of PATH_KEYS) {
    const value = input[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
