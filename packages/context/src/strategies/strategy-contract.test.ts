import { describeStrategy } from '../../test/strategy-contract.ts';
import { createStrategy, STRATEGY_NAMES } from './registry.ts';

for (const name of STRATEGY_NAMES) describeStrategy(name, () => createStrategy(name));
