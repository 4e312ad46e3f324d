import { describe, expect, it } from 'vitest';
import { configValues, describeOrigin, originOf, searchValues } from './config-values.ts';

const report = {
  config: {
    model: 'local/test',
    limits: { steps: 50, tokens: null },
    providers: { local: { models: { 'test.v1': { window: 32_000 } } } },
    approvals: [{ tool: 'bash', action: 'ask' }],
    agents: {},
  },
  origins: {
    model: { from: 'user', path: '/home/a/longhaul.yml' },
    'limits.steps': { from: 'flag' },
    'providers.local.models."test.v1".window': { from: 'project', variable: 'WINDOW' },
    approvals: { from: 'api' },
  },
};

describe('configValues', () => {
  it('lists every value with where it comes from', () => {
    expect(configValues(report).map(({ path, value, origin }) => [path, value, origin])).toEqual([
      ['agents', '{}', 'default'],
      ['approvals', '[{"tool":"bash","action":"ask"}]', 'set here, or over the API'],
      ['limits.steps', '50', 'flag of the command'],
      ['limits.tokens', 'null', 'default'],
      ['model', '"local/test"', 'user: /home/a/longhaul.yml'],
      ['providers.local.models."test.v1".window', '32000', 'project, from the variable WINDOW'],
    ]);
  });

  it('takes the origin of a whole object, but not of a name that only begins the same', () => {
    const values = configValues({
      config: { server: { port: 1 }, serverless: true },
      origins: { server: { from: 'user' } },
    });
    expect(values.map(({ path, origin }) => [path, origin])).toEqual([
      ['server.port', 'user'],
      ['serverless', 'default'],
    ]);
  });

  it('takes nothing from the prototype of objects', () => {
    expect(configValues({ config: { constructor: 1 }, origins: {} })[0]?.isDefault).toBe(true);
  });
});

describe('originOf', () => {
  it('takes the origin of an object from its keys', () => {
    const origins = { 'a.trigger.threshold': { from: 'api' } };
    expect(originOf('a.trigger', origins)).toEqual({ from: 'api' });
    expect(originOf('a.trig', origins)).toBeUndefined();
  });
});

describe('searchValues', () => {
  const values = configValues(report);
  it('finds all words in path, value or origin', () => {
    expect(searchValues(values, 'LIMITS flag').map(({ path }) => path)).toEqual(['limits.steps']);
    expect(searchValues(values, '32000')).toHaveLength(1);
    expect(searchValues(values, '')).toHaveLength(values.length);
    expect(searchValues(values, 'nothing like it')).toEqual([]);
  });
});

describe('describeOrigin', () => {
  it('shows a source that it does not know', () => {
    expect(describeOrigin({ from: 'registry' })).toBe('registry');
  });
});
