import { describe, expect, it } from 'vitest';
import { defineTool } from './define-tool.ts';

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
});
