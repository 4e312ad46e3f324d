import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { visibleLine } from '@longhaul/protocol';
import { acpWorkspaces } from '../acp/acp-workspaces.ts';
import { boundMemory } from '../bound-memory.ts';
import { ACP_FLAGS } from '../command-line/flags.ts';
import { oneOf, parseFlags, usage } from '../command-line/parse-flags.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import type { OutputStream, Terminal } from '../terminal.ts';
import { version } from '../version.ts';

/** `longhaul acp`: serves sessions to the editor that started it, until the editor leaves or a signal stops it. */
export async function acp(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'acp', ACP_FLAGS);
  if (positionals.length > 0) throw usage(`longhaul acp takes no "${positionals[0]}".`, 'acp');
  const driver = oneOf(values.sandbox, '--sandbox', ACP_FLAGS.sandbox.values);
  const { cwd = '.', config, trust, model } = values;
  const log = (line: string) => void terminal.err.write(`longhaul: ${visibleLine(line)}\n`);
  if (terminal.input.isTTY === true) log(FOR_EDITORS);
  boundMemory();
  const { serveAcp } = await import('@longhaul/acp');
  using interrupt = watchInterrupts(terminal, () => undefined);
  using _console = keepOffStandardOutput();
  await serveAcp({
    input: Readable.toWeb(terminal.input),
    output: streamTo(terminal.out),
    openWorkspace: acpWorkspaces({
      terminal,
      place: { config, trust },
      flags: { model, sandbox: { driver } },
    }),
    defaultFolder: resolve(terminal.cwd, cwd),
    version: await version(),
    log,
    signal: interrupt.signal,
  });
  return 0;
}

const FOR_EDITORS =
  'acp is started by an editor, and reads messages of the Agent Client Protocol from standard input. docs/editors.md has the configuration of editors. Ctrl-D ends it.';

/** A write resolves when the system has taken it, so that a slow reader slows the writer. */
function streamTo(out: OutputStream): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (chunk) =>
      new Promise<void>((done, failed) => {
        out.write(chunk, (error) => (error === undefined || error === null ? done() : failed(error)));
      }),
  });
}

/** Standard output has messages of the protocol only: what a module prints goes to standard error. */
function keepOffStandardOutput(): Disposable {
  const { log, info, debug } = console;
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
  return { [Symbol.dispose]: () => void Object.assign(console, { log, info, debug }) };
}
