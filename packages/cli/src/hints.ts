import type { ErrorCode, ErrorShape } from '@longhaul/protocol';

/** The next step after an error whose message does not name one. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  config_invalid: 'longhaul doctor checks the configuration. docs/configuration.md lists every key.',
  key_missing: 'longhaul doctor shows which model is used.',
  provider_auth: 'longhaul doctor shows which model is used, and whether a key is set.',
  provider_unreachable: 'longhaul doctor looks for the servers on this machine.',
  sandbox_unavailable: 'longhaul doctor shows which sandboxes work here.',
  internal: 'This is a defect of Longhaul. LONGHAUL_DEBUG=1 prints the stack trace.',
};

export function hintFor({ code, data }: Pick<ErrorShape, 'code' | 'data'>): string | undefined {
  // An error without a source is about flags and files together, and its message names the solution.
  if (code === 'config_invalid' && data?.['source'] === undefined) return undefined;
  // A model inside Longhaul is on no server.
  if (code === 'provider_unreachable' && data?.['provider'] === 'embedded') return undefined;
  return HINTS[code];
}
