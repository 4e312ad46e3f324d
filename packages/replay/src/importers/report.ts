import type { ChildPlace, GitStart, JsonValue, Mark, Message, ToolPart } from '@longhaul/protocol';
import { FirstUserText } from './first-user-text.ts';
import { stringChars } from './json-fields.ts';
import { argumentsText } from './part-text.ts';

export type SessionFormat =
  | 'claude-code'
  | 'codex'
  | 'opencode'
  | 'pi'
  | 'mini-swe-agent'
  | 'swe-agent'
  | 'openhands'
  | 'copilot'
  | 'gemini-cli'
  | 'atif'
  | 'specstory'
  | 'aider'
  | 'chat-messages'
  | 'longhaul';

/** A kind of content in the file that is not in the messages. */
export interface Skipped {
  /** The place of its first occurrence: `line 12`, `messages[3]`. */
  where: string;
  reason: string;
  count: number;
}

/** A compaction by the recorded agent. The log keeps all messages before it. */
export interface RecordedCompaction {
  /** `sequence` of the last message before it; 0 at the start. */
  afterSequence: number;
  /** Empty if the file does not contain it. */
  summary: string;
  /** Tokens of the context before the compaction, from the file. */
  tokensBefore?: number;
  /** Text of all messages that the model saw after it, if the file has them instead of a summary alone. */
  view?: string;
}

/** Numbers of characters by kind. */
export interface VisibleChars {
  /** Text in user messages, from the user and from the agent's runtime. */
  user: number;
  assistant: number;
  /** Arguments of tool calls as compact JSON. */
  calls: number;
  results: number;
  /** System text, if the file has it. It is not a message. */
  system: number;
}

/** Content that a model saw and that could not be read. It is also in `skipped`, with the reasons. */
export interface Unread {
  /** Characters of all strings in it. */
  chars: number;
  calls: number;
}

export interface ImportReport {
  /** Undefined if the format is unknown. */
  format?: SessionFormat;
  /** One line that says why there is no message. */
  problem?: string;
  messages: number;
  calls: number;
  /** Calls whose result is in the file. */
  results: number;
  /** Sum of `chars`. Reasoning, images and files do not count. */
  visibleChars: number;
  chars: VisibleChars;
  skipped: Skipped[];
  /** What the recorded model saw and was not read. `partialProblem` says whether it is too much. */
  unread: Unread;
  compactions: RecordedCompaction[];
  /**
   * Number of times the recorded session returned to an earlier message and continued from there. All branches are kept
   * in the file's order.
   */
  branches: number;
  /** System text from the file, at most 200,000 characters of it. */
  systemText: string;
  /** The session's id in the agent that recorded it. */
  sourceId?: string;
  /** The title that the session has in the agent that recorded it. */
  title?: string;
  /** The first text that the user wrote, without what the recorded agent added. At most 4,000 characters of it. */
  firstUserText?: string | undefined;
  /** A title that a model wrote. In a file of Claude Code it can be that of an earlier session. */
  summaryTitle?: string;
  /** The last model: `provider/model`, or the model alone if the file does not contain the provider. */
  model?: string;
  /** The folder in which the recorded agent worked. */
  workspace?: string;
  /** Where the repository of that folder was at the start of the session. Only a Longhaul export has it. */
  git?: GitStart;
  /** Where a child session has its place, and the recorded id of its parent. Only a Longhaul export has it. */
  child?: { place: ChildPlace; parentSourceId: string };
  /** Marks of a Longhaul export, with the message ids of the export. */
  marks: Mark[];
}

const MAX_SYSTEM_TEXT = 200_000;
/** Reasons contain names from the file, so their number is limited. */
const MAX_REASONS = 200;

/** Collects the report while the file is read. */
export class ReportDraft {
  readonly report: ImportReport = {
    messages: 0,
    calls: 0,
    results: 0,
    visibleChars: 0,
    chars: { user: 0, assistant: 0, calls: 0, results: 0, system: 0 },
    skipped: [],
    unread: { chars: 0, calls: 0 },
    compactions: [],
    branches: 0,
    systemText: '',
    marks: [],
  };
  readonly #firstUserText = new FirstUserText();
  readonly #skippedByReason = new Map<string, Skipped>();
  /** The reader's current place. */
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

  /** Reports content that a model saw and that is not read. A call in it counts too. */
  lose(reason: string, content: JsonValue, calls = 0): void {
    this.skip(reason);
    this.report.unread.chars += stringChars(content);
    this.report.unread.calls += calls;
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
