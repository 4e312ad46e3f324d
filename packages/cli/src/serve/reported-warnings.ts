import type { Config } from '@longhaul/config';
import type { EventPayload } from '@longhaul/protocol';
import { misspeltTools } from '../compose/misspelt-tools.ts';

/** Reports misspelt rules to sessions of a server, to each once. */
export class RuleWarnings {
  readonly #reported = new Set<string>();

  /** Returns the events of a run that starts. */
  forRun(sessionId: string, config: Config): EventPayload[] {
    return misspeltTools(config).filter((warning) => {
      const key = JSON.stringify([sessionId, warning]);
      if (this.#reported.has(key)) return false;
      this.#reported.add(key);
      return true;
    });
  }
}
