import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createPaint } from '../../render/paint.ts';
import { SlashCommands } from './all-commands.ts';
import { customCommands } from './custom-commands.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';

/** Runs what was typed. Returns what was printed, and whether it was a command. */
async function typed(text: string, custom: readonly SlashCommand[] = [], columns = 80) {
  let printed = '';
  let hasLeft = false;
  const context = {
    paint: createPaint(false),
    columns,
    print: (more: string) => {
      printed += more;
    },
    leave: () => {
      hasLeft = true;
    },
  };
  const isCommand = await new SlashCommands(custom).run(text, context as unknown as SlashContext);
  return { isCommand, printed, hasLeft };
}

function own(name: string): { command: SlashCommand; words: string[] } {
  const words: string[] = [];
  const command = { name, description: 'own', run: async (given: string) => void words.push(given) };
  return { command, words };
}

describe('SlashCommands', () => {
  it.each(['hello', 'a /exit', '/usr/bin/env is a path', '//exit', '/', '/ exit', '/42'])(
    'treats %j as a message',
    async (text) => {
      expect(await typed(text)).toMatchObject({ isCommand: false, printed: '' });
    },
  );

  it.each(['/exit', '/quit', '  /exit  ', '/exit now'])('leaves at %j', async (text) => {
    expect(await typed(text)).toMatchObject({ isCommand: true, hasLeft: true });
  });

  it('explains an unknown name, and suggests a similar one', async () => {
    const { isCommand, printed } = await typed('/contxt');
    expect(isCommand).toBe(true);
    expect(printed).toContain('There is no command /contxt.');
    expect(printed).toContain('/context');
  });

  it.each(['/constructor', '/toString'])('knows no command %s', async (text) => {
    expect((await typed(text)).printed).toContain('There is no command');
  });

  it('are all in the table of docs/terminal.md', async () => {
    const page = await readFile(new URL('../../../../../docs/terminal.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `/'));
    const missing = new SlashCommands().all.filter(
      ({ name }) => !rows.some((row) => row.includes(`\`/${name}`)),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('passes the words after the name to a command, including those on further lines', async () => {
    const { command, words } = own('Own');
    await typed('/Own  one two\n three ', [command]);
    expect(words).toEqual(['one two\n three']);
  });

  it('does not offer a command that cannot be used, and explains why when it is typed', async () => {
    const problem = { name: 'mine', path: '/work/mine.md', problem: 'is not trusted' };
    const custom = customCommands({ commands: [], problems: [problem] });
    expect(new SlashCommands(custom).all.map(({ name }) => name)).not.toContain('mine');
    await expect(typed('/mine words', custom)).rejects.toThrow(
      '/mine cannot be used: /work/mine.md is not trusted',
    );
  });

  it("does not let a user's command replace a command or an alias of Longhaul", async () => {
    const names = ['exit', 'quit', 'help', 'mine'];
    const { all } = new SlashCommands(names.map((name) => own(name).command));
    expect(all.filter(({ description }) => description === 'own').map(({ name }) => name)).toEqual(['mine']);
  });

  it('has every name and alias once', () => {
    const names = new SlashCommands().all.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
  });

  it('lists every command and every key in its help', async () => {
    const { printed } = await typed('/help');
    for (const { name } of new SlashCommands().all) expect(printed).toContain(`/${name}`);
    for (const key of ['Ctrl-S', 'Esc', 'Alt-Up', 'Ctrl-O', 'Ctrl-G', 'Ctrl-C', 'Ctrl-D'])
      expect(printed).toContain(key);
  });

  it.each([20, 40, 80, 200])('breaks its help at words in %d columns', async (columns) => {
    const { printed } = await typed('/help', [], columns);
    expect(printed.split('\n').filter((line) => line.length > columns)).toEqual([]);
    expect(printed.replaceAll(/\s+/g, ' ')).toContain('Ctrl-G write in $EDITOR');
  });
});
