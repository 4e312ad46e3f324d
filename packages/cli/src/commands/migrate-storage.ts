import type { TransferReport } from '@longhaul/storage/transfer';
import { MIGRATE_STORAGE_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { transferText } from '../render/transfer-text.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import { columnsOf, type Terminal } from '../terminal.ts';
import { openSide, type Side } from '../transfer/open-side.ts';

/** `longhaul migrate-storage FROM TO`: copies all sessions with their blobs to another store. */
export async function migrateStorage(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'migrate-storage', MIGRATE_STORAGE_FLAGS);
  const [from, to, extra] = positionals;
  if (from === undefined || to === undefined || extra !== undefined)
    throw usage('Name two stores: longhaul migrate-storage FROM TO.', 'migrate-storage');
  const { config, home } = await loadSettings(values, terminal);
  const options = { env: terminal.env, home, cwd: terminal.cwd };
  const { blobs: configured } = config.storage;
  const blobs = values.blobs ?? configured;
  await using source = await openSide(
    { url: from, blobs: values['from-blobs'] ?? configured },
    { ...options, isTarget: false },
  );
  await using target = await openSide({ url: to, blobs }, { ...options, isTarget: true });
  const onlyBlobs = source.tables.id === target.tables.id;
  if (onlyBlobs && source.blobPlace === target.blobPlace)
    throw usage(
      'FROM and TO are the same store. To copy only its blobs, name another place with --blobs.',
      'migrate-storage',
    );
  const report = await copied({ source, target, onlyBlobs }, terminal);
  terminal.out.write(
    values.json ? `${JSON.stringify(report)}\n` : transferText(report, columnsOf(terminal.out)),
  );
  if (report.isInterrupted) return 130;
  return isWhole(report) ? 0 : 1;
}

async function copied(
  sides: { source: Side; target: Side; onlyBlobs: boolean },
  terminal: Terminal,
): Promise<TransferReport & { isInterrupted: boolean }> {
  const { copyStore } = await import('@longhaul/storage/transfer');
  using interrupt = watchInterrupts(terminal, () => {
    terminal.err.write('\nStopping after this session. Run the command again to continue.\n');
  });
  const { signal } = interrupt;
  const passed = (done: number, of: number) => {
    if (terminal.err.isTTY === true)
      terminal.err.write(`\r${done} of ${of} sessions${done === of ? '\n' : ''}`);
  };
  return { ...(await copyStore({ ...sides, passed, signal })), isInterrupted: signal.aborted };
}

function isWhole({ running, differing, brokenTrees, blobs }: TransferReport): boolean {
  return running.length + differing.length + brokenTrees + blobs.missing.length + blobs.damaged.length === 0;
}
