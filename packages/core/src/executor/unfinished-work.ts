import type { Message, ToolPart } from '@longhaul/protocol';
import type { FindTool } from '../ports/tool-set.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { announcesStep, asksOnly } from './announcement.ts';

/** What an answer without a tool call leaves undone. */
export interface WorkLeft {
  /** Texts of the open items of the todo list. */
  items: readonly string[];
  /** The answer ends with the announcement of a step. */
  isAnnounced: boolean;
}

export interface UnfinishedWorkOptions {
  writer: Pick<SessionWriter, 'log' | 'unloaded' | 'hasQueued'>;
  findTool: FindTool;
  /** Returns the newest todo list of the session, also if a compaction hides it. */
  hiddenTodoList: () => Promise<string | undefined>;
  /** Whether the run may make another step. */
  mayContinue: () => boolean;
  /** Default true. */
  isEnabled?: boolean | undefined;
}

/** Commands also look things up for an answer. A call of this tool does not show that the run works on the list. */
const COMMANDS = 'bash';
const OPEN_ITEM = /^\[[ >]\] (.+)$/;

/** Finds out, once a run, whether a final answer leaves work undone. */
export class UnfinishedWork {
  readonly #options: UnfinishedWorkOptions;
  #hasWorked = false;
  /** How often it was found: 0 or 1. */
  found = 0;

  constructor(options: UnfinishedWorkOptions) {
    this.#options = options;
  }

  /** A run that only answers a question leaves the open items of an earlier task alone. */
  afterTools({ parts }: Message): void {
    this.#hasWorked ||= parts.some((part) => part.type === 'tool' && this.#isWork(part));
  }

  /** Whether the run can take another step. A message of the user goes first. */
  async mayContinue(): Promise<boolean> {
    return this.#options.mayContinue() && !(await this.#options.writer.hasQueued());
  }

  /** Returns undefined if the answer is to be accepted, whatever it is. */
  async find(answer: string): Promise<WorkLeft | undefined> {
    const { isEnabled = true, mayContinue, writer } = this.#options;
    if (!isEnabled || this.found > 0 || asksOnly(answer) || !mayContinue()) return undefined;
    const items = this.#hasWorked ? openItems(await this.todoList()) : [];
    const isAnnounced = announcesStep(answer);
    if (items.length === 0 && !isAnnounced) return undefined;
    // A message of the user goes first.
    if (await writer.hasQueued()) return undefined;
    this.found += 1;
    return { items, isAnnounced };
  }

  #isWork({ name }: ToolPart): boolean {
    const tool = this.#options.findTool(name);
    return (
      tool?.name === 'todo' || (tool !== undefined && tool.isReadOnly !== true && tool.name !== COMMANDS)
    );
  }

  /** Returns the result of the session's newest call of `todo`. */
  async todoList(): Promise<string | undefined> {
    const { writer, findTool, hiddenTodoList } = this.#options;
    for (const { parts } of writer.log.messages.toReversed()) {
      const part = parts.findLast(
        (each): each is ToolPart =>
          each.type === 'tool' && each.state === 'completed' && findTool(each.name)?.name === 'todo',
      );
      // Remarks about the call follow the list.
      const [list] = part?.output ?? [];
      if (part !== undefined) return list?.type === 'text' ? list.text : undefined;
    }
    return writer.unloaded.size === 0 ? undefined : hiddenTodoList();
  }
}

/** Reads the boxes of the tool `todo`. */
function openItems(list = ''): string[] {
  return list.split('\n').flatMap((line) => OPEN_ITEM.exec(line)?.[1] ?? []);
}
