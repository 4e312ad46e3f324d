import type { EventOf, JsonValue, LonghaulEvent } from '@longhaul/protocol';

/** A piece of an answer. `activity`: a line about a tool call or the engine. */
export interface AnswerPiece {
  kind: 'content' | 'reasoning' | 'activity';
  text: string;
}

const MAX_LINE_CHARS = 200;

/**
 * Converts the events of a run to an answer: the texts of all steps, separated by an empty line; the reasoning; and a
 * line for each tool call. The answer starts with the delivery of its message. The class has state but no side effects.
 */
export class AnswerText {
  readonly #awaits: string;
  #isStarted = false;
  /** Id of the last part of each kind. */
  readonly #part = { content: '', reasoning: '' };
  #reasonedLast: 'text' | 'activity' | undefined;

  /** @param awaits Id of the message to answer. */
  constructor(awaits: string) {
    this.#awaits = awaits;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  push(event: LonghaulEvent): AnswerPiece[] {
    if (event.type === 'message:dequeued' && event.ids.includes(this.#awaits)) this.#isStarted = true;
    if (!this.#isStarted) return [];
    if (event.type === 'llm:chunk') return this.#chunk(event);
    const line = lineOf(event);
    if (line === undefined) return [];
    const isApart = this.#reasonedLast === 'text';
    this.#reasonedLast = 'activity';
    return [{ kind: 'activity', text: `${isApart ? '\n\n' : ''}${cut(line)}\n` }];
  }

  #chunk({ chunkType, content, messageId, partIndex }: EventOf<'llm:chunk'>): AnswerPiece[] {
    if (content === '') return [];
    const kind = chunkType === 'text' ? 'content' : 'reasoning';
    const part = `${messageId}:${partIndex}`;
    const before = this.#part[kind];
    this.#part[kind] = part;
    if (kind === 'content')
      return [{ kind, text: before !== '' && before !== part ? `\n\n${content}` : content }];
    const isApart =
      this.#reasonedLast !== undefined && (before !== part || this.#reasonedLast === 'activity');
    this.#reasonedLast = 'text';
    return [{ kind, text: isApart ? `\n\n${content}` : content }];
  }
}

/** Returns a line about an event that is not text. */
function lineOf(event: LonghaulEvent): string | undefined {
  switch (event.type) {
    case 'llm:tool-call':
      return `⚙️ ${event.toolName}: ${argumentsLine(event.args)}`;
    case 'llm:tool-result':
      return event.success ? undefined : `✗ ${event.toolName}: ${event.title ?? firstText(event)}`;
    case 'context:compressed':
      return `⚙️ context compacted: ${event.originalTokens} → ${event.compressedTokens} tokens`;
    case 'llm:retry':
      return `↻ retrying: ${event.reason}`;
    case 'approval:requested':
      return `? ${event.toolName} waits for approval`;
    default:
      return undefined;
  }
}

/** Returns the command, path or pattern of a call, or else all arguments. */
function argumentsLine(args: JsonValue): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return JSON.stringify(args);
  const about = args['command'] ?? args['path'] ?? args['pattern'];
  return typeof about === 'string' ? about : JSON.stringify(args);
}

function firstText({ sanitized }: EventOf<'llm:tool-result'>): string {
  return sanitized.find((content) => content.type === 'text')?.text ?? '';
}

function cut(line: string): string {
  const single = line.replaceAll(/\s+/g, ' ').trim();
  return single.length <= MAX_LINE_CHARS ? single : `${single.slice(0, MAX_LINE_CHARS - 1)}…`;
}
