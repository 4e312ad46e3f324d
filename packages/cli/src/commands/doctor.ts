import { checkedAddress } from '../command-line/checked-address.ts';
import { DOCTOR_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import type { Check } from '../doctor/check.ts';
import { runChecks } from '../doctor/run-checks.ts';
import { createPaint } from '../render/paint.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';

/** `longhaul doctor`: checks this machine, with a remedy for each problem. */
export async function doctor(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'doctor', DOCTOR_FLAGS);
  if (positionals.length > 0) throw usage(`longhaul doctor takes no "${positionals[0]}".`, 'doctor');
  const baseUrl = checkedAddress(values['base-url']);
  const choice = { model: values.model, baseUrl, isAddressGiven: baseUrl !== undefined };
  const checks = await runChecks({ ...values, choice }, terminal);
  const isReady = checks.every((check) => check.status !== 'failed');
  const isWhole = checks.every((check) => check.status !== 'damaged');
  if (values.json) for (const check of checks) terminal.out.write(`${JSON.stringify(check)}\n`);
  else {
    const colors = wantsColors(terminal, values['no-color']);
    terminal.out.write(checkList(checks, { columns: columnsOf(terminal.out), colors }));
    terminal.out.write(isReady ? (isWhole ? READY : DAMAGED) : '\nNo task can be run yet. See ✗ above.\n');
  }
  return isReady && isWhole ? 0 : 1;
}

const READY = '\nReady: longhaul run "task"\n';
const DAMAGED = '\nTasks can be run, but stored content is lost. See ! above.\n';

const NAME_COLUMNS = 14;

/** Prints one check per line, with the remedy below it. */
export function checkList(
  checks: readonly Check[],
  { columns, colors }: { columns: number; colors: boolean },
): string {
  const paint = createPaint(colors);
  const signs = {
    ok: paint.good('✓'),
    missing: paint.warn('–'),
    damaged: paint.bad('!'),
    failed: paint.bad('✗'),
  };
  const indent = ' '.repeat(NAME_COLUMNS + 2);
  const below = (text: string) =>
    wrapText(text, columns - indent.length)
      .trimEnd()
      .split('\n');
  return checks
    .map(({ name, status, detail, remedy }) => {
      const [first = '', ...rest] = below(detail);
      const lines = [
        `${signs[status]} ${name.padEnd(NAME_COLUMNS)}${first}`,
        ...rest.map((line) => indent + line),
      ];
      const advice = remedy === undefined ? [] : below(remedy).map((line) => indent + paint.dim(line));
      return `${[...lines, ...advice].join('\n')}\n`;
    })
    .join('');
}
