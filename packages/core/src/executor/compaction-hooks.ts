import { activeMarks } from '@longhaul/context/engine';
import type { MessageDraft } from '../ports/index.ts';
import type { DueHooks } from '../session/due-hooks.ts';
import { asCompactionNote } from '../session/messages/compaction-notes.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { draftHookNote, type RunHooks } from './run-hooks.ts';

export interface CompactionHooksOptions {
  hooks: RunHooks;
  due: DueHooks;
  writer: Pick<SessionWriter, 'log'>;
}

/** Runs the hooks of compactions. */
export class CompactionHooks {
  readonly #options: CompactionHooksOptions;

  constructor(options: CompactionHooksOptions) {
    this.#options = options;
  }

  /** Call it before a compaction. Returns the note that is stored together with it. */
  async before(reason: string): Promise<MessageDraft | undefined> {
    const { hooks, due } = this.#options;
    if (hooks.has('compaction.after')) await due.compactionBegins({ reason, afterRound: this.#round });
    if (!hooks.has('compaction.before')) return undefined;
    const { text } = await hooks.run({ on: 'compaction.before', reason });
    return text === undefined ? undefined : asCompactionNote(draftHookNote(text));
  }

  /** Call it after a compaction, and at the start of a run: the process may have stopped after the compaction. */
  async after(): Promise<void> {
    const { hooks, due } = this.#options;
    const begun = due.compaction;
    if (begun === undefined) return;
    if (this.#round <= begun.afterRound) return due.compactionHasEnded();
    await hooks.note(
      { on: 'compaction.after', reason: begun.reason },
      { draft: (text) => asCompactionNote(draftHookNote(text)), stored: () => due.compactionHasEnded() },
    );
  }

  /** Round of the newest compaction that is not undone. */
  get #round(): number {
    return activeMarks(this.#options.writer.log.marks).compaction?.round ?? 0;
  }
}
