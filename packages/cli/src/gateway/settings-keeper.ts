import { join } from 'node:path';
import {
  type Config,
  type ConfigOrigin,
  type ConfigOrigins,
  GatewayFile,
  userFolder,
} from '@longhaul/config';
import type { KeptChange, SettingsKeeper } from '@longhaul/gateway';
import type { Terminal } from '../terminal.ts';

type SettingName = keyof SettingsKeeper['places'];

const NAMES: readonly SettingName[] = ['compactor', 'inputThreshold', 'warningThreshold', 'upstreams'];
const FLAGS: Partial<Record<SettingName, string>> = { compactor: '--compactor', upstreams: '--upstream' };

export interface KeptSettings {
  config: Config;
  origins: ConfigOrigins;
  home: string;
}

export interface PagePlace {
  env: Terminal['env'];
  /** The file that `--config` names, as an absolute path. */
  configFile: string | undefined;
}

/**
 * Stores what is changed on the page in the file that sets it, else in the file that `--config` names, else in the
 * user's file. What a flag or the project's file sets is not stored: these take precedence at the next start.
 */
export function settingsKeeper(
  { config, origins, home }: KeptSettings,
  { env, configFile }: PagePlace,
): SettingsKeeper {
  const usual = configFile ?? join(userFolder({ env, home }), 'longhaul.yml');
  const places = placesOf((name) => placeOf(name, { origin: origins[`gateway.${name}`], usual }));
  const files = new Map<string, GatewayFile>();
  return {
    places,
    async store(change) {
      for (const [path, part] of partsByFile(change, places)) {
        const file = files.get(path) ?? new GatewayFile(path, env);
        files.set(path, file);
        await file.store(part, config.gateway.upstreams);
      }
    },
  };
}

function placesOf(
  place: (name: SettingName) => SettingsKeeper['places'][SettingName],
): SettingsKeeper['places'] {
  const [compactor, inputThreshold, warningThreshold, upstreams] = [
    place('compactor'),
    place('inputThreshold'),
    place('warningThreshold'),
    place('upstreams'),
  ];
  return { compactor, inputThreshold, warningThreshold, upstreams };
}

function placeOf(
  name: SettingName,
  { origin, usual }: { origin: ConfigOrigin | undefined; usual: string },
): SettingsKeeper['places'][SettingName] {
  if (origin?.from === 'flag') return { notStored: `The flag ${FLAGS[name] ?? ''} sets it at each start.` };
  if (origin?.from === 'project')
    return { notStored: `The file of the project, ${origin.path ?? 'longhaul.yml'}, sets it at each start.` };
  return { file: origin?.path ?? usual };
}

/** The parts of a change by the file that stores them. */
function partsByFile(change: KeptChange, places: SettingsKeeper['places']): Map<string, KeptChange> {
  const parts = new Map<string, KeptChange>();
  for (const name of NAMES) {
    const place = places[name];
    const part = name === 'upstreams' ? { compaction: change.compaction } : { [name]: change[name] };
    const isChanged = Object.values(part).some((value) => value !== undefined);
    if ('file' in place && isChanged) parts.set(place.file, { ...parts.get(place.file), ...part });
  }
  return parts;
}
