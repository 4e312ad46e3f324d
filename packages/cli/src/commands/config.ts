import { configJsonSchema, maskSettings } from '@longhaul/config';
import { CONFIG_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { effectiveConfig } from '../config/effective-config.ts';
import type { Terminal } from '../terminal.ts';

/** `longhaul config`: prints the effective configuration and the source of each value. */
export async function showConfig(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'config', CONFIG_FLAGS);
  if (positionals.length > 0) throw usage(`longhaul config takes no "${positionals[0]}".`, 'config');
  if (values.schema) {
    terminal.out.write(`${JSON.stringify(await configJsonSchema(), null, 2)}\n`);
    return 0;
  }
  const settings = await loadSettings(values, terminal);
  const { misspeltRules } = await import('../compose/misspelt-tools.ts');
  for (const warning of misspeltRules(settings.config)) terminal.err.write(`longhaul: ${warning}\n`);
  const effective = await effectiveConfig(settings);
  const shown = { ...effective, config: maskSettings(effective.config) };
  if (values.json) {
    terminal.out.write(`${JSON.stringify(shown)}\n`);
    return 0;
  }
  const { configText } = await import('../config/config-text.ts');
  terminal.out.write(configText(shown));
  return 0;
}
