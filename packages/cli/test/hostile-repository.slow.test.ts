import { expect, it } from 'vitest';
import { HostileProject, KEYS } from './hostile-project.ts';

it('sends nothing, runs nothing and reads nothing of the user with any command', async () => {
  await using hostile = await HostileProject.open();
  const env = { ...KEYS, HTTPS_PROXY: 'http://127.0.0.1:9' };
  const commands = [
    ['doctor'],
    ['doctor', '--model', 'mine/big'],
    ['config'],
    ['sessions'],
    ['context', 'last'],
    ['compact', 'last'],
    ['undo', 'last'],
    ['run', 'Go', '--quiet'],
    ['run', 'Go', '--quiet', '--model', 'mine/big'],
    ['run', 'Go', '--quiet', '--model', 'openai/gpt-5.1'],
    ['search', 'Go'],
    ['gc', '--yes'],
  ];
  await hostile.attack(commands, (args) => hostile.bench.run(args, { env }));
  expect.assertions(commands.length * 5);
});
