import type { Config } from '@longhaul/config';
import type { EventPayload } from '@longhaul/protocol';
import { misspeltTools } from './misspelt-tools.ts';

/** Returns what of the configuration has no effect, as events of a run that starts. */
export function configWarnings(config: Pick<Config, 'approvals' | 'mcp' | 'warnings'>): EventPayload[] {
  const { warnings = [] } = config;
  return [
    ...misspeltTools(config),
    ...warnings.map((message) => ({ type: 'context:warning', message }) as const),
  ];
}
