import type { ConfigInput } from './config.ts';
import type { Environment } from './environment.ts';
import type { TrustGrant } from './trust/project-trust.ts';

export interface LoadConfigOptions {
  /** Absolute; the search for a project file starts here. */
  cwd: string;
  env: Environment;
  /** Absolute. */
  home: string;
  /** Settings from the command line, already checked. */
  flags?: ConfigInput;
  /** Settings changed over the API, as stored. */
  settings?: unknown;
  /** Absolute path of a file that replaces the project's. It must exist. */
  file?: string;
  /** Trust in the project's file for this load. Default: what is stored. */
  trust?: TrustGrant;
}
