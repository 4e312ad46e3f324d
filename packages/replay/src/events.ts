import type { Message, Part, ToolPart } from '@longhaul/protocol';
import { argumentsText, textOf } from './importers/part-text.ts';

/**
 * What the measures walk over: user text, assistant text, tool calls with their arguments as compact JSON, and tool results. Reasoning
 * and system texts are left out.
 */
export interface SessionEvent {
  kind: 'user' | 'assistant' | 'call' | 'result';
  text: string;
  /** Of calls and results. */
  callId?: string;
  /** The tool's name, of calls and results. */
  name?: string;
  /** The file that the call names in its arguments; a result has the path of its call. */
  path?: string;
  /** `sequence` of the message it comes from. */
  sequence: number;
}

export interface EventOptions {
  /** Whether summaries that the recorded agent wrote when it compacted count as user text. Default false: they are no part of the work. */
  summaries?: boolean;
}

/** The events of a session, in order: of a message all it says and calls, then the results of its calls, as the model saw them. */
export function toEvents(messages: readonly Message[], options: EventOptions = {}): SessionEvent[] {
  return messages.flatMap((message) => {
    if (message.metadata?.['isCompactSummary'] === true && options.summaries !== true) return [];
    return [...message.parts.flatMap((part) => saidIn(part, message)), ...resultsIn(message)];
  });
}

/** A run of consecutive assistant events (texts and calls), as the indexes of its first event and of the one behind its last. */
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
