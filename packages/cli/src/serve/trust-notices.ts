import type { ProjectTrust } from '@longhaul/config';
import type { Runtime } from '@longhaul/core';
import { type EventPayload, toLonghaulError } from '@longhaul/protocol';
import { type TrustAnswer, trustEvents } from '../trust/trust-events.ts';

/** Reports to sessions of a server which settings of the project are ignored, and the answer. */
export class TrustNotices {
  /** Sessions with `trust:requested` and without `trust:answered`. */
  readonly #asked = new Set<string>();

  /** Returns the events of a run that starts. */
  forRun(sessionId: string, project: ProjectTrust | undefined): EventPayload[] {
    const isIgnored = project?.wants.some(({ isTrusted }) => !isTrusted) === true;
    const wasAsked = this.#asked.has(sessionId);
    if (isIgnored) this.#asked.add(sessionId);
    else this.#asked.delete(sessionId);
    return trustEvents(project, wasAsked && !isIgnored ? 'trusted' : undefined);
  }

  /** Emits the answer in the sessions that were asked. A session with a run gets it when its next run starts. */
  async answered(
    answer: TrustAnswer,
    { project, runtime }: { project: ProjectTrust; runtime: Pick<Runtime, 'announce'> },
  ): Promise<void> {
    const events = trustEvents(project, answer).filter(({ type }) => type === 'trust:answered');
    for (const sessionId of this.#asked) {
      if (await announced(runtime, sessionId, events)) this.#asked.delete(sessionId);
    }
  }
}

/** A session that was deleted needs no answer. */
async function announced(
  runtime: Pick<Runtime, 'announce'>,
  sessionId: string,
  events: readonly EventPayload[],
): Promise<boolean> {
  try {
    return await runtime.announce(sessionId, events);
  } catch (error) {
    if (toLonghaulError(error).code === 'session_not_found') return true;
    throw error;
  }
}
