import type { ErrorCode, ErrorShape } from '@longhaul/protocol';

/** What to do next, where the message itself cannot know it. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  config_invalid: 'longhaul doctor checks the configuration; docs/configuration.md lists every key.',
  provider_auth: 'longhaul doctor shows which model is used, and whether a key is set.',
  provider_unreachable: 'longhaul doctor looks for the servers on this machine.',
  sandbox_unavailable: 'longhaul doctor shows which sandboxes work here.',
  internal: 'This is a defect of Longhaul. LONGHAUL_DEBUG=1 prints where it happened.',
};

export function hintFor({ code, data }: Pick<ErrorShape, 'code' | 'data'>): string | undefined {
  // What flags and files say together explains itself; a mistake in a file is one of its keys.
  if (code === 'config_invalid' && data?.['source'] === undefined) return undefined;
  return HINTS[code];
}
