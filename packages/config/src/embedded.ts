import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { DEFAULT_CONFIG, type EmbeddedConfig } from './config.ts';
import type { Environment } from './environment.ts';
import { expandHome } from './expand-home.ts';

/** Stands for the socket of a model that runs inside Longhaul. Nothing is ever sent to this address. */
export const EMBEDDED_URL = 'http://embedded.invalid/v1';

/** The model of `embedded` alone: one that fits this machine. */
export const DEFAULT_EMBEDDED = 'default';

/** What the process of an embedded model needs to know. */
export interface EmbeddedSettings extends EmbeddedConfig {
  /** Has the models, the library that runs them, and what they have read. */
  folder: string;
  /** Where the sockets are. */
  env: { XDG_RUNTIME_DIR: string | undefined };
}

/** `config` defaults to the defaults. */
export function embeddedSettings(
  config: EmbeddedConfig = DEFAULT_CONFIG.embedded,
  env: Environment,
): EmbeddedSettings {
  return { ...config, folder: embeddedFolder(env), env: { XDG_RUNTIME_DIR: env['XDG_RUNTIME_DIR'] } };
}

/** Returns the folder of all that embedded models need and leave. */
export function embeddedFolder(env: Environment): string {
  const cache = env['XDG_CACHE_HOME'];
  const base = cache !== undefined && isAbsolute(cache) ? cache : join(env['HOME'] || homedir(), '.cache');
  return join(base, 'longhaul', 'embedded');
}

/** Whether a name means an embedded model. */
export function isEmbeddedName(name: string): boolean {
  return /^embedded(?:[:/]|$)/.test(name);
}

/**
 * Splits the name of an embedded model: `embedded`, `embedded:NAME`, `embedded/NAME`, `embedded:PATH.gguf`, `embedded:./PATH`.
 * A path becomes absolute, so that a session finds its model from every folder. Undefined: another provider's.
 */
export function splitEmbeddedName(name: string): { provider: string; model: string } | undefined {
  if (!isEmbeddedName(name)) return undefined;
  const model = name.slice('embedded:'.length) || DEFAULT_EMBEDDED;
  const isFile = /\.gguf$/i.test(model) || /^(?:\.{0,2}|~)\//.test(model);
  return { provider: 'embedded', model: isFile ? resolve(expandHome(model, homedir())) : model };
}
