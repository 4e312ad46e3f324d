import { type EditBlock, splitEdits } from './aider-edits.ts';
import { countedUsage } from './aider-usage.ts';
import type { SessionBuilder } from './session-builder.ts';
import type { TextImporter } from './text-importer.ts';

/** The line with which each session in the file starts. */
export const AIDER_START = '# aider chat started at ';
const USER = '####';
/** Commands whose text a model reads. The others are for Aider itself. */
const SENT_COMMAND = /^\/(?:ask|code|architect|context)\s+/;
const LOCAL_COMMAND = /^[/!][a-z]/i;

/** Whether a line with the user's text, without `####`, is a command for Aider itself. */
export function isLocalCommand(text: string): boolean {
  return LOCAL_COMMAND.test(text.replace(SENT_COMMAND, ''));
}

export function isAiderHistory(head: string): boolean {
  return /^# aider chat started at \d/m.test(head);
}

/**
 * Reads `.aider.chat.history.md`. An edit block of an answer becomes a call `edit`, and Aider's note that it was applied
 * is its result. Aider's other notes are for the person.
 */
export function createAiderImporter(builder: SessionBuilder): TextImporter {
  return new AiderImporter(builder);
}

class AiderImporter implements TextImporter {
  readonly format = 'aider';
  readonly #builder: SessionBuilder;
  #user: string[] = [];
  #answer: string[] = [];
  /** Whether the user has written something, so that other text is an answer. */
  #hasTask = false;
  #createdAt: number | undefined;
  #model: string | undefined;
  #edits = 0;
  /** Ids of the edits that were not applied yet, by path. */
  #open = new Map<string, string[]>();

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  line(line: string): void {
    if (line.startsWith(AIDER_START)) this.#start(line.slice(AIDER_START.length));
    else if (line.startsWith(USER)) this.#userLine(line.slice(USER.length));
    else if (line === '>' || line.startsWith('> ')) this.#note(line.slice(2).trimEnd());
    else if (line.trim() !== '' || this.#answer.length > 0) this.#answerLine(line);
  }

  end(): void {
    this.#endUser();
    this.#endAnswer();
  }

  #start(date: string): void {
    this.end();
    const createdAt = Date.parse(`${date.trim().replace(' ', 'T')}Z`);
    this.#createdAt = Number.isNaN(createdAt) ? undefined : createdAt;
    this.#hasTask = false;
    this.#builder.endStep();
  }

  /** Aider ends each line with two spaces, which are a line break in Markdown. */
  #userLine(text: string): void {
    this.#endAnswer();
    this.#user.push(text.replace(/^ /, '').replace(/ {2}$/, ''));
  }

  #endUser(): void {
    const text = this.#user.join('\n').trim();
    this.#user = [];
    if (text === '') return;
    const sent = text.replace(SENT_COMMAND, '');
    if (isLocalCommand(text)) {
      this.#builder.report.skip('commands for Aider');
      return;
    }
    this.#open.clear();
    this.#hasTask = true;
    this.#builder.user([{ type: 'text', text: sent, state: 'done' }], { createdAt: this.#createdAt });
  }

  #answerLine(line: string): void {
    this.#endUser();
    if (this.#hasTask) this.#answer.push(line);
    else if (line.trim() !== '') this.#builder.report.skip('lines before the first task');
  }

  #endAnswer(): void {
    const pieces = splitEdits(this.#answer);
    this.#answer = [];
    if (pieces.length === 0) return;
    this.#builder.step(undefined, { createdAt: this.#createdAt, model: this.#model });
    for (const piece of pieces) {
      if (typeof piece === 'string') this.#builder.text(piece);
      else this.#edit(piece);
    }
  }

  #edit({ path, search, replace }: EditBlock): void {
    this.#edits += 1;
    const id = `edit-${this.#edits}`;
    this.#builder.call(id, { name: 'edit', input: { path, search, replace } });
    this.#open.set(path, [...(this.#open.get(path) ?? []), id]);
  }

  #note(text: string): void {
    this.#endUser();
    this.#endAnswer();
    const applied = /^Applied edit to (.+)$/.exec(text)?.[1];
    const usage = countedUsage(text);
    this.#model = /^(?:Main model|Models?): (\S+)/.exec(text)?.[1]?.replace(/,$/, '') ?? this.#model;
    if (applied !== undefined) this.#applied(applied, text);
    else if (usage !== undefined && this.#builder.isInStep) this.#builder.describeStep({ usage });
    else if (text.trim() !== '') this.#builder.report.skip('notes of Aider');
  }

  #applied(path: string, text: string): void {
    for (const id of this.#open.get(path) ?? [])
      this.#builder.result(id, { output: [{ type: 'text', text }] });
    this.#open.delete(path);
  }
}
