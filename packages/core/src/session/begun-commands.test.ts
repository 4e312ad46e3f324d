import type { JsonObject, Message, ToolPart } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { backgroundCommands, unreportedCommands } from './begun-commands.ts';

const message = (more: Partial<Message>) => ({ parts: [], ...more }) as Partial<Message> as Message;
const part = (handle: string, runs: boolean) =>
  ({ type: 'tool', metadata: { background: { handle, runs } } }) as Partial<ToolPart> as ToolPart;

it('leaves out commands whose end a result or a note reports', () => {
  const handles = ['m1.0', 'm2.0', 'm3.0', 'm4.0'];
  const metadata = { backgroundCommands: handles.map((handle) => ({ handle, command: 'serve' })) };
  const messages = [
    message({ parts: [part('m1.0', true), part('m2.0', false)] }),
    message({ metadata: { synthetic: 'background', ended: ['m3.0'] } }),
  ];
  expect(unreportedCommands({ metadata }, messages).map(({ handle }) => handle)).toEqual(['m1.0', 'm4.0']);
});

it('lists the commands that run; between runs only kept ones', () => {
  const metadata: JsonObject = {
    backgroundCommands: [
      { handle: 'm1.0', command: 'serve' },
      { handle: 'm2.0', command: 'keep', keptMark: 'mark' },
    ],
  };
  const [first, second] = [
    { handle: 'm1.0', command: 'serve', isKept: false },
    { handle: 'm2.0', command: 'keep', isKept: true },
  ];
  expect(backgroundCommands({ metadata }, 'running')).toEqual([first, second]);
  expect(backgroundCommands({ metadata }, 'completed')).toEqual([second]);
  expect(backgroundCommands({}, 'running')).toEqual([]);
});
