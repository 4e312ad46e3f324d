import { describe, expect, it } from 'vitest';
import { defineTool } from './define-tool.ts';
import type { ToolContext } from './tool.ts';

const CONTEXT = {} as ToolContext;

describe('defineTool', () => {
  const parameters = {
    type: 'object' as const,
    properties: { city: { type: 'string' } },
    required: ['city'],
  };
  const weather = defineTool({
    name: 'weather',
    description: 'Reports the weather.',
    parameters,
    isReadOnly: true,
    execute: ({ city }) => `rain in ${String(city)}`,
  });

  it('makes a schema for the model, and keeps the traits', () => {
    expect(weather.schema).toEqual({ name: 'weather', description: 'Reports the weather.', parameters });
    expect(weather.isReadOnly).toBe(true);
    const bare = defineTool({ name: 'now', description: 'Returns the time.', execute: () => '12:00' });
    expect(bare.schema.parameters).toEqual({ type: 'object', properties: {} });
  });

  it.each(['', 'read file', 'fs.read', 'größe', 'x'.repeat(65), undefined])('refuses the name %j', (name) => {
    const define = () => defineTool({ name: name as string, description: 'x', execute: () => '' });
    expect(define).toThrow(/^A tool cannot be named .*Use 1 to 64 letters/);
  });

  it.each([
    [null, 'the arguments must be an object'],
    [['Rome'], 'the arguments must be an object'],
    ['Rome', 'the arguments must be an object'],
    [{}, 'these arguments are missing: city'],
  ])('refuses the arguments %j with a reason for the model', (input, reason) => {
    expect(weather.parse(input)).toEqual({ ok: false, reason });
  });

  it('gives what parse returns to execute, and the model the message of what it throws', async () => {
    const double = defineTool<number>({
      name: 'double',
      description: 'Doubles a number.',
      parse: (input) => {
        if (typeof input !== 'number') throw new Error('pass a number');
        return input;
      },
      execute: (value) => ({ content: [{ type: 'text', text: String(value * 2) }], title: 'doubled' }),
    });
    expect(double.parse(4)).toEqual({ ok: true, input: 4 });
    expect(double.parse('4')).toEqual({ ok: false, reason: 'pass a number' });
  });

  it.each([
    ['a text', 'a text'],
    [undefined, ''],
    [null, ''],
  ])('takes the result %j', async (returned, text) => {
    const tool = defineTool({ name: 'any', description: 'Returns it.', execute: () => returned as string });
    expect(await tool.execute({}, CONTEXT)).toEqual({ content: [{ type: 'text', text }] });
  });

  it.each([
    [{ rows: 2 }, 'an object without content'],
    [{ content: 'text' }, 'an object without content'],
    [['a text'], 'an object without content'],
    [42, 'a number'],
  ])('throws for the result %j of a program without types', async (returned, what) => {
    const tool = defineTool({
      name: 'any',
      description: 'Returns it.',
      execute: async () => returned as unknown as string,
    });
    await expect(tool.execute({}, CONTEXT)).rejects.toThrow(
      `The tool any ran, but returned ${what}. A tool must return a text or a result.`,
    );
  });

  it('takes a schema without exact types, as libraries make them, and refuses one that is not an object', () => {
    const one = { name: 'forecast', description: 'Forecasts the weather.', execute: () => {} };
    const schema: { [key: string]: unknown; type?: string | string[] } = {
      type: 'object',
      required: ['city'],
    };
    expect(defineTool({ ...one, parameters: schema }).schema.parameters).toEqual(schema);
    expect(defineTool({ ...one, parameters: {} }).schema.parameters).toEqual({ type: 'object' });
    expect(() => defineTool({ ...one, parameters: { type: 'array' } })).toThrow(
      'The parameters of the tool forecast have the type array. They must be an object.',
    );
  });
});
