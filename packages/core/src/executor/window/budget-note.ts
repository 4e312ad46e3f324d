import { activeMarks, countByClasses, type FittedRequest } from '@longhaul/context/engine';
import { isObject } from '@longhaul/protocol';
import type { ContextControl } from '../../ports/index.ts';
import type { FindTool } from '../../ports/tool-set.ts';
import { draftSyntheticMessage } from '../../session/messages/user-message.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import { groupDigits, plural } from '../../tool-output/index.ts';
import type { ContextWindow } from './context-window.ts';

export interface BudgetNoteOptions {
  writer: Pick<SessionWriter, 'log' | 'appendMessage'>;
  window: Pick<ContextWindow, 'dueTokens' | 'budget' | 'todoList' | 'tokenRatio'>;
  control: Pick<ContextControl, 'keptFacts'>;
  findTool: FindTool;
}

/** Percent of what triggers a compaction at which the model gets a note. */
const LEVELS = [70, 85] as const;
/** So near to a compaction, a note would be too late. */
const TOO_LATE = 95;
/** A note takes at most this share of the room for messages. In a small window it would cost more than it helps. */
const MAX_SHARE = 0.01;

/** A level that a note has reported to the model. */
interface Told {
  percent: number;
  /** Id of the newest compaction at that time; empty if there was none. */
  compaction: string;
}

/**
 * Tells the model how full its context is: once at each level between two compactions. The note follows the history, so
 * that the beginning of the request stays the same.
 */
export class BudgetNote {
  readonly #options: BudgetNoteOptions;
  #told: Told | undefined;

  constructor(options: BudgetNoteOptions) {
    this.#options = options;
  }

  /** Call it with a request that can be sent. Returns whether it has appended a note. */
  async appendIfDue({ predictedTokens }: FittedRequest): Promise<boolean> {
    const { writer, window } = this.#options;
    const { dueTokens } = window;
    const percent = Math.floor((predictedTokens / dueTokens) * 100);
    const level = LEVELS.findLast((each) => percent >= each);
    if (level === undefined || percent >= TOO_LATE) return false;
    const compaction = activeMarks(writer.log.marks).compaction?.id ?? '';
    const told = this.#told ?? toldIn(writer.log.messages);
    if (told?.compaction === compaction && told.percent >= level) return false;
    this.#told = { percent: level, compaction };
    const text = await this.#textFor({ level, percent, leftTokens: dueTokens - predictedTokens });
    if (text === undefined) return false;
    const note = draftSyntheticMessage(text, 'budget');
    await writer.appendMessage({ ...note, metadata: { ...note.metadata, budget: { ...this.#told } } });
    return true;
  }

  /** Returns the longest text that is small in this window; undefined if there is none. */
  async #textFor(state: { level: number; percent: number; leftTokens: number }): Promise<string | undefined> {
    const { window, findTool } = this.#options;
    const { dueTokens, budget, tokenRatio } = window;
    const short = shortText(state, await this.#keptParts());
    const hasAdvice = state.level === LEVELS[0] && findTool('todo') !== undefined;
    const maxTokens = (dueTokens - budget.fixedTokens) * MAX_SHARE;
    return [...(hasAdvice ? [`${short} ${ADVICE}`] : []), short].find(
      (text) => countByClasses(text) * tokenRatio <= maxTokens,
    );
  }

  async #keptParts(): Promise<string> {
    const { writer, window, control } = this.#options;
    const pins = activeMarks(writer.log.marks).pinned.size;
    const facts = (await control.keptFacts()).length;
    const parts = [
      ...((await window.todoList()) === undefined ? [] : ['the todo list']),
      ...(facts === 0 ? [] : [plural(facts, 'kept fact')]),
      ...(pins === 0 ? [] : [plural(pins, 'pinned message')]),
    ];
    return parts.length === 0 ? 'the last steps' : `${parts.join(', ')} and the last steps`;
  }
}

const ADVICE =
  'Put other facts that you need word for word into `keep` of `todo`, and set `compact` there when a phase is finished.';

function shortText({ percent, leftTokens }: { percent: number; leftTokens: number }, kept: string): string {
  const left =
    leftTokens < 10_000 ? Math.round(leftTokens / 100) * 100 : Math.round(leftTokens / 1_000) * 1_000;
  return `A note from the program: the context is ${percent} % full. After about ${groupDigits(left)} more tokens, a summary replaces older messages, except ${kept}.`;
}

/** Returns the level that the newest note has told. */
function toldIn(messages: SessionWriter['log']['messages']): Told | undefined {
  const note = messages.findLast(({ metadata }) => metadata?.synthetic === 'budget');
  const told = note?.metadata?.['budget'];
  if (!isObject(told)) return undefined;
  const { percent, compaction } = told;
  return typeof percent === 'number' && typeof compaction === 'string' ? { percent, compaction } : undefined;
}
