import { expect, it } from 'vitest';
import { ruleLine } from './rule-line.ts';

it.each(['false', 'True', 'null', 'yes', 'off', 'y'])(
  'quotes the command %s, which YAML would not read as text',
  (command) => {
    expect(ruleLine({ tool: 'bash', command, action: 'allow' })).toBe(
      `{ tool: bash, command: "${command}", action: allow }`,
    );
  },
);

it('quotes only what needs it', () => {
  expect(ruleLine({ tool: 'bash', command: 'ls', action: 'allow' })).toBe(
    '{ tool: bash, command: ls, action: allow }',
  );
  expect(ruleLine({ tool: 'bash', command: 'npm test', action: 'ask' })).toBe(
    '{ tool: bash, command: "npm test", action: ask }',
  );
});
