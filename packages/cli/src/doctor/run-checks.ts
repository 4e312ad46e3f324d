import { DEFAULT_CONFIG } from '@longhaul/config';
import type { ModelChoice } from '../compose/choose-model.ts';
import { loadSettings, type Place, type Settings } from '../compose/load-settings.ts';
import { misspeltRules } from '../compose/misspelt-tools.ts';
import type { Terminal } from '../terminal.ts';
import { type Check, failedCheck } from './check.ts';
import { checkDatabase } from './database.ts';
import { checkKeys } from './keys.ts';
import { checkModels } from './model.ts';
import { checkModes } from './modes.ts';
import { checkGit, checkRipgrep, checkRuntime } from './programs.ts';
import { checkSandboxes } from './sandboxes.ts';

/** Checks everything that a run needs. A failed check does not stop the others. */
export async function runChecks(
  place: Place & { deep?: boolean; choice: ModelChoice },
  terminal: Terminal,
): Promise<Check[]> {
  const settings = await loadSettings(place, terminal).catch((error: unknown) => ({ error }));
  const isBroken = 'error' in settings;
  const config = isBroken ? DEFAULT_CONFIG : settings.config;
  const configuration = isBroken ? failedCheck('config', settings.error) : checkedConfig(settings);
  const groups = await Promise.all([
    checkGit(),
    checkRipgrep(),
    checkSandboxes(config.sandbox),
    guarded('database', () => checkDatabase(config.storage, { ...place, ...config.cluster })),
    checkModels(config, place.choice, terminal.env),
    isBroken ? [] : checkKeys(settings.home, terminal),
    isBroken ? [] : checkModes(config, { env: terminal.env, home: settings.home }),
  ]);
  const [git, ripgrep, sandboxes, database, models, keys, modes] = groups;
  return [
    checkRuntime(),
    git,
    ripgrep,
    ...sandboxes,
    configuration,
    ...database,
    ...modes,
    ...models,
    ...keys,
  ];
}

function checkedConfig({ config, sources }: Settings): Check {
  const detail = sources.join(', ') || 'no file; defaults';
  const [warning] = misspeltRules(config);
  return warning === undefined
    ? { name: 'config', status: 'ok', detail }
    : { name: 'config', status: 'missing', detail: warning, remedy: `Correct the rule in ${detail}.` };
}

async function guarded(name: string, check: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await check();
  } catch (error) {
    return [failedCheck(name, error)];
  }
}
