import { describeStrategy } from '../../test/strategy-contract.ts';
import { createStrategy } from './registry.ts';
import { STRATEGY_NAMES } from './strategy-names.ts';

for (const name of STRATEGY_NAMES) describeStrategy(name, () => createStrategy(name));
