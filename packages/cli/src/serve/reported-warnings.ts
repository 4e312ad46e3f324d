import type { Config } from '@longhaul/config';
import type { EventPayload } from '@longhaul/protocol';
import { configWarnings } from '../compose/config-warnings.ts';

/** Reports what of the configuration has no effect to sessions of a server, to each once. */
export class ReportedWarnings {
  readonly #reported = new Set<string>();

  /** Returns the events of a run that starts. */
  forRun(sessionId: string, config: Config): EventPayload[] {
    return configWarnings(config).filter((warning) => {
      const key = JSON.stringify([sessionId, warning]);
      if (this.#reported.has(key)) return false;
      this.#reported.add(key);
      return true;
    });
  }
}
