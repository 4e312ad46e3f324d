import type { Mark, Message, ToolPart } from '@longhaul/protocol';
import { FirstUserText } from './first-user-text.ts';
import { argumentsText } from './part-text.ts';

export type SessionFormat =
  | 'claude-code'
  | 'codex'
  | 'opencode'
  | 'pi'
  | 'mini-swe-agent'
  | 'swe-agent'
  | 'openhands'
  | 'chat-messages'
  | 'longhaul';

/** Something of the file that is not in the messages. */
export interface Skipped {
  /** Where it stood for the first time: `line 12`, `messages[3]`. */
  where: string;
  reason: string;
  count: number;
}

/** A compaction that the recorded agent made. The messages before it are all there: the log is what happened. */
export interface RecordedCompaction {
  /** `sequence` of the last message before it; 0 at the start. */
  afterSequence: number;
  /** Empty where the file does not say. */
  summary: string;
  /** Tokens of the context before it, as the file has it. */
  tokensBefore?: number;
}

/** Characters by what they are. */
export interface VisibleChars {
  /** What stands in user messages: the user's own text, and what the agent's runtime put into their place. */
  user: number;
  assistant: number;
  /** Arguments of tool calls as compact JSON. */
  calls: number;
  results: number;
  /** System text, where the file has it. It is no message. */
  system: number;
}

export interface ImportReport {
  /** Undefined when nothing was recognised. */
  format?: SessionFormat;
  /** Why there is nothing, in one line, when there is no message. */
  problem?: string;
  messages: number;
  calls: number;
  /** Calls whose result is in the file. */
  results: number;
  /** Sum of `chars`. Reasoning, images and files do not count. */
  visibleChars: number;
  chars: VisibleChars;
  skipped: Skipped[];
  compactions: RecordedCompaction[];
  /** How often the recorded session went back and took another way. All ways are kept, in the order of the file. */
  branches: number;
  /** System text that the file records, at most 200 000 characters of it. */
  systemText: string;
  /** The session's id in the agent that recorded it. */
  sourceId?: string;
  /** The title that the session has in the agent that recorded it. */
  title?: string;
  /** The first text that the user wrote, without what the recorded agent added. At most 4,000 characters of it. */
  firstUserText?: string | undefined;
  /** A title that a model wrote. In a file of Claude Code it can be that of an earlier session. */
  summaryTitle?: string;
  /** `provider/model`, or the model alone where the file does not name the provider. The last one used. */
  model?: string;
  /** The folder in which the recorded agent worked. */
  workspace?: string;
  /** Our own export only: its marks, on the ids of its messages. */
  marks: Mark[];
}

const MAX_SYSTEM_TEXT = 200_000;
/** Reasons are our own words with a few names from the file in them: a bound on those. */
const MAX_REASONS = 200;

/** What was found and what was left out, while the file is read. */
export class ReportDraft {
  readonly report: ImportReport = {
    messages: 0,
    calls: 0,
    results: 0,
    visibleChars: 0,
    chars: { user: 0, assistant: 0, calls: 0, results: 0, system: 0 },
    skipped: [],
    compactions: [],
    branches: 0,
    systemText: '',
    marks: [],
  };
  readonly #firstUserText = new FirstUserText();
  readonly #skippedByReason = new Map<string, Skipped>();
  /** Where the reader stands now. */
  where = '';

  skip(reason: string, where: string = this.where): void {
    const known =
      this.#skippedByReason.get(reason) ??
      (this.#skippedByReason.size >= MAX_REASONS ? this.#skippedByReason.get(OTHER) : undefined);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const name = this.#skippedByReason.size >= MAX_REASONS ? OTHER : reason;
    const skipped = { where, reason: name, count: 1 };
    this.#skippedByReason.set(name, skipped);
    this.report.skipped.push(skipped);
  }

  message(message: Message): void {
    this.report.messages += 1;
    if (message.model !== undefined) this.report.model = message.model;
    this.#firstUserText.add(message);
    this.report.firstUserText = this.#firstUserText.text;
    for (const part of message.parts) {
      if (part.type === 'tool') this.#call(part);
      else if (part.type === 'text' || (part.type === 'notice' && part.forModel))
        this.#count(message.role, part.text.length);
    }
  }

  #call(part: ToolPart): void {
    this.report.calls += 1;
    if (part.state !== 'interrupted') this.report.results += 1;
    this.#count('calls', argumentsText(part).length);
    for (const content of part.output ?? []) {
      if (content.type === 'text') this.#count('results', content.text.length);
    }
  }

  #count(kind: keyof VisibleChars, characters: number): void {
    this.report.chars[kind] += characters;
    this.report.visibleChars += characters;
  }

  system(text: string): void {
    if (text === '') return;
    this.#count('system', text.length);
    const room = MAX_SYSTEM_TEXT - this.report.systemText.length;
    const gap = this.report.systemText === '' ? '' : '\n\n';
    if (room > gap.length) this.report.systemText += (gap + text).slice(0, room);
  }
}

const OTHER = 'other reasons';
