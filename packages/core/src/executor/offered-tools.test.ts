import type { Message, MessageMetadata } from '@longhaul/protocol';
import { testTool, text } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { OfferedTools } from './offered-tools.ts';

const tools = ['bash', 'read', 'grep', 'glob'].map((name) => testTool(name, () => text('')));

function userMessage(metadata?: MessageMetadata): Message {
  return {
    id: `m${Math.random()}`,
    sessionId: 's',
    sequence: 1,
    role: 'user',
    parts: [],
    status: 'done',
    createdAt: 0,
    tokenCount: 0,
    metadata,
  };
}

function offer(...messages: Message[]): OfferedTools {
  return new OfferedTools({ tools, model: 'test', messages: () => messages });
}

const namesOf = (offered: OfferedTools) => offered.schemas.map(({ name }) => name);

it('offers all tools of the agent, in their order', () => {
  expect(namesOf(offer())).toEqual(['bash', 'read', 'grep', 'glob']);
  expect(namesOf(offer(userMessage()))).toEqual(['bash', 'read', 'grep', 'glob']);
});

it('offers what the newest message of the user allows', () => {
  const messages = [userMessage({ tools: [['g*']] })];
  const offered = offer(...messages);
  expect(namesOf(offered)).toEqual(['grep', 'glob']);
  expect(offered.find('bash')).toBeUndefined();
  expect(offered.find('Grep')?.name).toBe('grep');
  expect(offered.describeMissing('bash')).toBe('Not run: the user allows only grep, glob for this message.');
  expect(offered.describeMissing('browser')).toContain('There is no tool "browser"');
});

it('offers the same while the runtime asks the model to continue, and all for the next message', () => {
  const messages = [userMessage({ tools: [['read']] }), userMessage({ synthetic: 'continue-open' })];
  const offered = new OfferedTools({ tools, model: 'test', messages: () => messages });
  expect(namesOf(offered)).toEqual(['read']);
  messages.push(userMessage());
  expect(namesOf(offered)).toHaveLength(4);
});

it('offers what all combined messages allow', () => {
  expect(namesOf(offer(userMessage({ tools: [['read', 'grep'], ['g*']] })))).toEqual(['grep']);
  const none = offer(userMessage({ tools: [[]] }));
  expect(namesOf(none)).toEqual([]);
  expect(none.describeMissing('read')).toBe('Not run: the user allows no tools for this message.');
});

it('offers nothing to a model that cannot call tools', () => {
  const offered = offer(userMessage());
  offered.withhold();
  expect(namesOf(offered)).toEqual([]);
  expect(offered.find('read')).toBeUndefined();
});

it('offers other tools once they are replaced', () => {
  const offered = offer(userMessage({ tools: [['g*', 'new']] }));
  offered.replace([...tools.slice(0, 3), testTool('new', () => text(''))]);
  expect(namesOf(offered)).toEqual(['grep', 'new']);
  expect(offered.find('glob')).toBeUndefined();
  expect(offered.findAny('bash')?.name).toBe('bash');
  expect(offered.describeMissing('glob')).toContain('There is no tool "glob"');
});
