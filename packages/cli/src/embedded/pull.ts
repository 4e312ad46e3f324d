import { pullModel } from '@longhaul/embedded';
import { printable } from '../render/format.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import type { EmbeddedCommand } from './embedded-command.ts';

const CHECKSUMS = {
  matches: 'Its checksum is the one that its publisher lists.',
  unknown: 'Its publisher lists no checksum, so it was not compared with one.',
} as const;

/** `longhaul models pull NAME` */
export async function pull(
  name: string,
  folder: string,
  { json, terminal }: EmbeddedCommand,
): Promise<number> {
  using interrupt = watchInterrupts(terminal, () => {});
  const shows = !json && terminal.err.isTTY === true;
  let shown = -1;
  const { checksum, ...model } = await pullModel(name, {
    folder,
    env: terminal.env,
    signal: interrupt.signal,
    onProgress({ totalSize, downloadedSize }) {
      const percent = totalSize > 0 ? Math.floor((downloadedSize / totalSize) * 100) : 0;
      if (!shows || percent === shown) return;
      shown = percent;
      terminal.err.write(`\r${bar(percent)} ${percent} % of ${(totalSize / 1e9).toFixed(2)} GB`);
    },
  });
  if (shows) terminal.err.write('\n');
  if (json) terminal.out.write(`${JSON.stringify({ type: 'pulled', ...model, checksum })}\n`);
  else {
    const said = checksum === 'differs' ? '' : ` ${CHECKSUMS[checksum]}`;
    terminal.out.write(
      `Fetched ${printable(model.name)} to ${printable(model.path)}.${said}\nUse it: longhaul run --model embedded:${printable(model.name)} "…"\n`,
    );
  }
  return 0;
}

function bar(percent: number): string {
  const full = Math.round(percent / 5);
  return `${'█'.repeat(full)}${'░'.repeat(20 - full)}`;
}
