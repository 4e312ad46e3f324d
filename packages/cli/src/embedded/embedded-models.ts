import { embeddedFolder } from '@longhaul/config';
import { pulledModels, removeModel } from '@longhaul/embedded';
import { LonghaulError } from '@longhaul/protocol';
import { usage } from '../command-line/parse-flags.ts';
import { printable } from '../render/format.ts';
import type { EmbeddedCommand } from './embedded-command.ts';
import { embeddedTable } from './embedded-table.ts';
import { listEmbedded } from './list-embedded.ts';
import { pull } from './pull.ts';

/** `longhaul models list --embedded`, `pull NAME`, `rm NAME` and `ls`. */
export async function embeddedModels(
  [command = 'list', ...names]: readonly string[],
  options: EmbeddedCommand,
): Promise<number> {
  const { json, terminal } = options;
  const folder = embeddedFolder(terminal.env);
  const [name, ...more] = names;
  if (command === 'pull' || command === 'rm') {
    if (name === undefined || more.length > 0)
      throw usage(`longhaul models ${command} needs one NAME.`, 'models');
    return command === 'pull' ? pull(name, folder, options) : remove(name, folder, options);
  }
  if (command === 'list') {
    const models = await listEmbedded(folder);
    terminal.out.write(json ? lines(models) : embeddedTable(models));
    return 0;
  }
  const models = await pulledModels(folder);
  const none = 'No model was fetched. See longhaul models list --embedded, and longhaul models pull NAME.\n';
  const shown = models.map(
    ({ name, bytes, path }) => `${printable(name)}  ${(bytes / 1e9).toFixed(2)} GB  ${printable(path)}\n`,
  );
  terminal.out.write(json ? lines(models) : models.length === 0 ? none : shown.join(''));
  return models.length > 0 ? 0 : 1;
}

async function remove(name: string, folder: string, { json, terminal }: EmbeddedCommand): Promise<number> {
  if (!(await removeModel(folder, name))) {
    const known = (await pulledModels(folder)).map((model) => model.name).join(', ');
    throw new LonghaulError(
      'not_found',
      `No model called "${name}" was fetched. ${known === '' ? 'There are none.' : `There are: ${known}.`}`,
    );
  }
  terminal.out.write(
    json ? `${JSON.stringify({ type: 'removed', name })}\n` : `Deleted ${printable(name)}.\n`,
  );
  return 0;
}

function lines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
