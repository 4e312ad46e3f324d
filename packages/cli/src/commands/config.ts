import { type Config, configJsonSchema } from '@longhaul/core/config';
import { CONFIG_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import type { Terminal } from '../terminal.ts';

/** `longhaul config`: what holds here, and where it comes from. */
export async function showConfig(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'config', CONFIG_FLAGS);
  if (positionals.length > 0) throw usage(`longhaul config takes no "${positionals[0]}".`, 'config');
  if (values.schema) {
    terminal.out.write(`${JSON.stringify(await configJsonSchema(), null, 2)}\n`);
    return 0;
  }
  const { config, sources } = await loadSettings(values, terminal);
  const shown = masked(config);
  if (values.json) {
    terminal.out.write(`${JSON.stringify({ sources, config: shown })}\n`);
    return 0;
  }
  const { stringify } = await import('yaml');
  const from =
    sources.length === 0
      ? ['# No file was found; these are the defaults.']
      : sources.map((path) => `# from ${path}`);
  terminal.out.write(`${from.join('\n')}\n${stringify(shown)}`);
  return 0;
}

/** With the keys of providers replaced: what is shown may be pasted anywhere. */
export function masked(config: Config): Config {
  const providers = Object.entries(config.providers).map(([name, provider]) => {
    const isSecret = provider.apiKey !== undefined && !provider.apiKey.startsWith('$');
    return [name, isSecret ? { ...provider, apiKey: '********' } : provider] as const;
  });
  return { ...config, providers: Object.fromEntries(providers) };
}
