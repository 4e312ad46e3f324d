import { tested } from '../test/tested-driver.ts';

// The tests of the AI SDK drivers, with the native drivers. Google has only a driver of the AI SDK.
tested.settings = { driver: 'native' };
await import('./wire.test.ts');
await import('./model-driver.test.ts');
await import('./provider-failures.test.ts');
await import('../test/reasoning.test.ts');
await import('../test/reasoning-effort.test.ts');
await import('../test/usage.test.ts');
await import('../test/cached-prefix.test.ts');
await import('../test/prompt-cache.test.ts');
await import('../test/provider-recovery.test.ts');
await import('../test/answers.test.ts');
await import('../test/finish-reasons.test.ts');
await import('../test/refused-content.test.ts');
