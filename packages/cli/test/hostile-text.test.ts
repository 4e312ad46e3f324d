import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScriptReply } from '@longhaul/scripted-model';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

const TERMINAL = { terminal: true, env: { TERM: 'xterm-256color' } };
const FLAGS = ['--sandbox', 'local', '--yes'];

/** A title, the clipboard, an erased line, a line that is overwritten, colours, and a C1 sequence. */
const ATTACK =
  'ev\u001b]0;OWNED\u0007\u001b]52;c;cm0=\u0007\u001b[A\u001b[2K\u001b[?1049h\rok\b\u001b[31m\u009b2Jil';
/** The same as the name of a folder. */
const FOLDER = ATTACK.replaceAll('/', '');

/** What Longhaul itself writes to a terminal: colours, moves of the live line, and the mode of pasting. */
const OWN = /\r\u001b\[K|\u001b\[(?:\d{1,2}m|A|\d+D|\?2004[hl])/g;

/** The control characters of an output that Longhaul does not write itself. */
function foreign(output: string): string[] {
  const text = output
    .replace(OWN, '')
    .replaceAll(/\r+\n/g, '\n')
    .replaceAll(/(^|\n)\r+/g, '$1');
  return text.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g) ?? [];
}

async function hostileFolder(bench: Bench): Promise<string> {
  const folder = join(bench.workspace, FOLDER);
  await mkdir(folder);
  return folder;
}

it('shows the answer of a model at a terminal without its control characters, and keeps them in a pipe', async () => {
  await using bench = await Bench.open();
  const { flags } = await bench.serve({ script: () => ATTACK });
  const args = ['run', 'Talk', '--quiet', ...FLAGS, ...flags];
  const { stdout: shown } = await bench.run(args, TERMINAL);
  expect(shown).toContain('ev\\u001b]0;OWNED\\u0007');
  expect(shown.match(/[^\n\r\P{Cc}]/gu)).toBeNull();
  const piped = await bench.call(args);
  expect(piped.stdout).toBe(`${ATTACK}\n`);
});

it.each([
  [['run', 'Talk'], true],
  [['run', 'Talk', '--verbose'], false],
  [['run', 'Talk', '--json'], false],
  [['run', 'Talk', '--no-color'], false],
])('%j: shows nothing of a model and its tools raw', async (words, isProcess) => {
  await using bench = await Bench.open();
  const folder = await hostileFolder(bench);
  const tools: NonNullable<ScriptReply['toolCalls']> = [
    { name: 'write', arguments: { path: `${FOLDER}.txt`, content: ATTACK } },
    { name: 'bash', arguments: { command: `printf '${ATTACK}'; exit 3` } },
    { name: ATTACK, arguments: { [ATTACK]: ATTACK } },
  ];
  const { flags } = await bench.serve({
    script: ({ number }) => (number === 1 ? { toolCalls: tools } : ATTACK),
  });
  const args = [...words, '-C', folder, ...FLAGS, ...flags];
  const { stdout, stderr } = await (isProcess ? bench.run(args, TERMINAL) : bench.call(args, TERMINAL));
  const shown = stdout + stderr;
  expect(shown).toContain('OWNED');
  expect(foreign(shown)).toEqual([]);
});

it('shows the name of a folder, a file and a session raw in no command', async () => {
  await using bench = await Bench.open();
  const folder = await hostileFolder(bench);
  const { flags } = await bench.serve({ script: () => ATTACK });
  await bench.call(['run', ATTACK, '-C', folder, ...FLAGS, ...flags]);
  const inFolder = (...args: string[]) => [...args, '-C', folder];
  const commands = [
    ['config'],
    ['trust', '--show'],
    ['sessions'],
    ['show', 'last'],
    ['context', 'last'],
    ['queue', 'last'],
    ['search', 'ev'],
    ['doctor'],
    ['fork', 'last'],
    ['export', 'last'],
    ['cancel', 'last'],
    ['resume', 'last'],
    ['no-such-command'],
  ].map((args) => inFolder(...args));
  const look = async () => {
    for (const args of commands) {
      const { stdout, stderr } = await bench.call(args, TERMINAL);
      const shown = stdout + stderr;
      expect.soft([args[0], foreign(shown)]).toEqual([args[0], []]);
    }
  };
  await look();
  await writeFile(join(folder, 'longhaul.yml'), `model: "${JSON.stringify(ATTACK).slice(1, -1)}"\n`);
  commands.splice(3);
  await look();
});

it('asks about the folder of a session without its control characters', async () => {
  await using bench = await Bench.open();
  const folder = await hostileFolder(bench);
  const { flags } = await bench.serve({ script: () => 'Yes.' });
  const { stdout } = await bench.call(['run', 'Talk', '--json', '-C', folder, ...FLAGS, ...flags]);
  const { sessionId } = JSON.parse(stdout.slice(0, stdout.indexOf('\n')));
  const running = bench.start(['run', 'More', '--session', sessionId, ...FLAGS, ...flags], TERMINAL);
  await running.saw('Use it there?');
  running.child.stdin?.write('n\r');
  const { stdout: shown } = await running.ended;
  expect(shown).toContain('OWNED');
  expect(foreign(shown)).toEqual([]);
});
