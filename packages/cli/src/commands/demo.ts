import { DEMO_FLAGS } from '../command-line/flags.ts';
import { oneOf, parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import type { Terminal } from '../terminal.ts';

/** `longhaul demo`: runs the agent with a scripted model. */
export async function demo(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'demo', DEMO_FLAGS);
  if (positionals.length > 0) throw usage('The demo has its own task and takes no arguments.', 'demo');
  const sandbox = oneOf(values.sandbox, '--sandbox', DEMO_FLAGS.sandbox.values);
  const window = positiveNumber(values.window, '--window', { whole: true });
  const { runDemo } = await import('../demo/run-demo.ts');
  using interrupt = watchInterrupts(terminal, () => {
    terminal.err.write('\nStopping; Ctrl-C again ends at once.\n');
  });
  return await runDemo({
    terminal,
    signal: interrupt.signal,
    json: values.json ?? false,
    keep: values.keep ?? false,
    sandbox: sandbox ?? 'auto',
    windowTokens: window ?? 16_000,
    children: values.children ?? false,
    noColor: values['no-color'],
  });
}
