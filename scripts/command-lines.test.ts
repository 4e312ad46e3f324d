import { STRATEGY_NAMES } from '@longhaul/config';
import { describe, expect, it } from 'vitest';
import * as flags from '../packages/cli/src/command-line/flags.ts';
import { commandFlags, undocumentedFlags, wrongCommandLines, wrongReference } from './command-lines.ts';

const text = { type: 'string' } as const;
const COMMANDS = commandFlags({
  RUN_FLAGS: {
    model: { type: 'string', short: 'm' },
    sandbox: { type: 'string', values: ['docker', 'local'] },
    strategy: { type: 'string', values: ['one', 'two'], isOpen: true },
    json: { type: 'boolean' },
  },
  SHOW_FLAGS: { json: { type: 'boolean' } },
  GC_FLAGS: { age: text },
});
const wrong = (page: string) => [...wrongCommandLines(page, COMMANDS), ...wrongReference(page, COMMANDS)];

describe('wrongCommandLines, wrongReference', () => {
  it.each([
    ['`longhaul run --modle x`', ['longhaul run has no --modle']],
    ['```sh\nlonghaul run -m a \\\n  -x "--json"   # --none\n```', ['longhaul run has no -x']],
    ['Then `git diff | longhaul show last --model=a --json`.', ['longhaul show has no --model']],
    ['`longhaul run --sandbox none`', ['--sandbox of longhaul run takes docker, local, not none']],
    ['The flag `--modle NAME` names it.', ['no command has --modle']],
    ['| `--sandbox KIND` | `docker` or what else |', ['the row of --sandbox does not name local']],
    ['`run` and `show` accept `--json` and `--model NAME`.', ['longhaul show does not accept --model']],
    ['In a list:\n- `run` and `show` accept `--model NAME`.', ['longhaul show does not accept --model']],
    [
      'Every command except `show` accepts `--json`.',
      ['longhaul show accepts --json', 'longhaul gc does not accept --json'],
    ],
  ])('finds the mistake in %s', (page, problems) => expect(wrong(page)).toEqual(problems));

  it.each([
    '`longhaul run -m a --strategy ./mine.ts "--not a flag" -- --nor this`, `longhaul help --x`',
    '```\nlonghaul run --json | jq --raw; longhaul show last --help > file --other\n```'.replace(
      ' > file --other',
      '',
    ),
    '`--sandbox docker|local`, `--help` and `docker run --rm`',
    '`run` and `show` accept `--json`.',
    '| `--strategy NAME` | `one`, `two`, or a path |',
  ])('finds none in %s', (page) => expect(wrong(page)).toEqual([]));
});

describe('undocumentedFlags', () => {
  const page = [
    '| `run "task"` | works | `-m`, `--model NAME` |',
    '| `show ID` | prints | those of `run` |',
    '| [`gc`](storage.md) | removes | |',
    '`run` accepts `--json`.',
    '## `longhaul run`',
    '`--sandbox` `--strategy`',
    '## Other',
  ].join('\n');

  it('finds a flag that neither the row, the section, a linked page nor a sentence names', () => {
    expect(undocumentedFlags(page, COMMANDS, () => '`--age-old`')).toEqual([
      '--json of longhaul show is not documented',
      '--age of longhaul gc is not documented',
    ]);
  });
});

it('the flags know the strategies of the configuration', () => {
  expect(flags.RUN_FLAGS.strategy.values).toEqual(STRATEGY_NAMES);
});
