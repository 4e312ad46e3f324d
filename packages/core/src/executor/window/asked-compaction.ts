import type { ContextLog } from '@longhaul/context/engine';
import type { Message } from '@longhaul/protocol';
import type { ContextControl } from '../../ports/index.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import type { Compactor } from './compactor.ts';

export interface AskedCompactionOptions {
  writer: Pick<SessionWriter, 'log'>;
  control: Pick<ContextControl, 'forecast'>;
  compactor: Pick<Compactor, 'compact'>;
}

/**
 * Makes the compaction that the model has asked for in its last step. The log alone says whether one is due, so that a
 * run which resumes after a crash makes it too, and no run makes it twice.
 */
export class AskedCompaction {
  readonly #options: AskedCompactionOptions;

  constructor(options: AskedCompactionOptions) {
    this.#options = options;
  }

  /** Call it before each request. @throws {LonghaulError} `cancelled`. */
  async compactIfAsked(signal: AbortSignal): Promise<void> {
    const { writer, control, compactor } = this.#options;
    if (!isAsked(writer.log)) return;
    // The results of the other calls of the step have arrived since the model was told what to expect.
    if ((await control.forecast()).isWorthIt) await compactor.compact('model', signal);
  }
}

function isAsked({ messages, marks }: ContextLog): boolean {
  const step = messages.findLast(({ role }) => role === 'assistant');
  if (step === undefined || !asks(step)) return false;
  // Ids ascend with time.
  return !marks.some(({ kind, id }) => kind === 'compaction' && id > step.id);
}

function asks({ parts }: Message): boolean {
  return parts.some(
    (part) =>
      part.type === 'tool' &&
      part.name === 'todo' &&
      part.state === 'completed' &&
      part.metadata?.['compact'] === true,
  );
}
