import { MODELS_FLAGS } from '../command-line/flags.ts';
import { parseFlags } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { type Terminal, wantsColors } from '../terminal.ts';

/**
 * `longhaul models [list]`: lists the models of local servers and of the catalogue. `pull`, `rm`, `ls`, and `list` with
 * `--embedded`, are about models that run inside Longhaul.
 */
export async function models(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'models', MODELS_FLAGS);
  if (values.embedded === true || EMBEDDED_COMMANDS.has(positionals[0] ?? '')) {
    const { embeddedModels } = await import('../embedded/embedded-models.ts');
    return embeddedModels(positionals, { json: values.json === true, terminal });
  }
  const words = (positionals[0] === 'list' ? positionals.slice(1) : positionals).flatMap((word) =>
    word.split(/\s+/).filter(Boolean),
  );
  const { config } = await loadSettings(values, terminal);
  const { knownModels } = await import('../compose/known-models.ts');
  const found = await knownModels(config, words, terminal.env);
  if (values.json) {
    for (const model of found) terminal.out.write(`${JSON.stringify(model)}\n`);
  } else {
    const { modelTable } = await import('../render/model-table.ts');
    const { listedModels } = await import('@longhaul/models');
    terminal.out.write(
      modelTable(found, {
        words,
        colors: wantsColors(terminal, values['no-color']),
        listDate: listedModels().date,
      }),
    );
  }
  return found.length > 0 ? 0 : 1;
}

const EMBEDDED_COMMANDS: ReadonlySet<string> = new Set(['pull', 'rm', 'ls']);
