import { describeModelDriver } from '@longhaul/testing/contracts';
import { openAimock } from '../test/aimock.ts';

const PROVIDERS = [
  { kind: 'anthropic', model: 'claude-sonnet-4-5', path: '/v1' },
  { kind: 'openai', model: 'gpt-5.1', path: '/v1' },
  { kind: 'google', model: 'gemini-3-pro-preview', path: '/v1beta' },
] as const;

for (const provider of PROVIDERS) describeModelDriver(provider.kind, () => openAimock(provider));

for (const provider of PROVIDERS.filter(({ kind }) => kind !== 'google')) {
  const native = { ...provider, settings: { driver: 'native' as const } };
  describeModelDriver(`native ${provider.kind}`, () => openAimock(native));
}
