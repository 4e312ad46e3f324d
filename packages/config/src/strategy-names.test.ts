import { STRATEGY_NAMES as OF_THE_ENGINE } from '@longhaul/context';
import { expect, it } from 'vitest';
import { STRATEGY_NAMES } from './config.ts';

it('names the strategies that the engine has: the list is kept twice, so that reading a configuration loads no engine', () => {
  expect(STRATEGY_NAMES).toEqual(OF_THE_ENGINE);
});
