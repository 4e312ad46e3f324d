import { DEFAULT_CONFIG } from '@longhaul/config';
import { expect, it } from 'vitest';
import { loadConfiguredAgents } from './load-configured-agents.ts';

it.each([true, false])(
  'offers the fields of todo for the context if budgetNotes is %s',
  async (budgetNotes) => {
    const context = { ...DEFAULT_CONFIG.context, budgetNotes };
    const agents = await loadConfiguredAgents({ ...DEFAULT_CONFIG, context });
    const todo = agents.get().tools.find(({ name }) => name === 'todo');
    expect(Object.keys({ ...Object(todo?.schema.parameters['properties']) })).toEqual(
      budgetNotes ? ['items', 'keep', 'compact'] : ['items'],
    );
  },
);
