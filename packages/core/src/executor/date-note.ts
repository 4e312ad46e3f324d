import { dayOf, firstDay } from '../prompt/session-date.ts';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import type { SessionWriter } from '../session/session-writer.ts';

/**
 * Tells the model the date if that of the system text is no longer true. The note follows the history, so that the
 * beginning of the request stays the same.
 */
export class DateNote {
  readonly #writer: SessionWriter;
  #isDue = true;

  constructor(writer: SessionWriter) {
    this.#writer = writer;
  }

  /** A compaction may have hidden the last note. */
  afterCompaction(): void {
    this.#isDue = true;
  }

  /** Call it before each request. */
  async appendIfDue(): Promise<void> {
    if (!this.#isDue) return;
    this.#isDue = false;
    const today = dayOf(Date.now());
    if (today === (this.#notedDay() ?? (await firstDay(this.#writer)))) return;
    const note = draftSyntheticMessage(`The date is now ${today}.`, 'date');
    await this.#writer.appendMessage({ ...note, metadata: { ...note.metadata, date: today } });
  }

  /** The day of the newest note that the model can see. */
  #notedDay(): string | undefined {
    const { log, unloaded } = this.#writer;
    const note = log.messages.findLast(
      ({ id, metadata }) => metadata?.synthetic === 'date' && !unloaded.has(id),
    );
    const date = note?.metadata?.['date'];
    return typeof date === 'string' ? date : undefined;
  }
}
