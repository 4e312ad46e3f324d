import { STRATEGY_NAMES as OF_THE_ENGINE } from '@longhaul/context';
import { expect, it } from 'vitest';
import { STRATEGY_NAMES } from './config.ts';

it('lists the same strategies as the engine, which reading a configuration does not load', () => {
  expect(STRATEGY_NAMES).toEqual(OF_THE_ENGINE);
});
