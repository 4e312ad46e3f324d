import { describe, expect, it } from 'vitest';
import { endpointAt, resolveEndpoint, upstreamKey } from './endpoint.ts';
import { ProjectPart, TrustedFiles } from './trust/project-part.ts';

const env = { OPENAI_API_KEY: 'env-openai', MINE_KEY: 'env-mine' };
const providers = {
  mine: { baseUrl: 'https://mine.example/v1', apiKey: '$MINE_KEY' },
  bare: { baseUrl: 'https://bare.example/v1' },
  openai: { baseUrl: 'https://proxy.example/v1' },
  keyed: { apiKey: 'literal' },
};
const projectOf = (...names: string[]) =>
  new ProjectPart({
    providers: new Set(names),
    hasUpstreams: true,
    servers: new Set(),
    files: new TrustedFiles('/p', []),
  });

describe('the key of an address', () => {
  const users = { providers };
  const projects = { providers, project: projectOf(...Object.keys(providers)) };
  const given = { apiKey: 'longhaul' };
  const address = { baseUrl: 'https://flag.example' };

  it.each([
    ['a user gives', 'mine', {}, users, 'env-mine'],
    ['a user gives', 'openai', {}, users, 'env-openai'],
    ['a user gives', 'bare', {}, users, undefined],
    ['a user gives', 'mine', given, users, 'longhaul'],
    ['a user gives by a flag', 'mine', address, users, 'env-mine'],
    ['a user gives by a flag', 'mine', { ...address, ...given }, users, 'longhaul'],
    ['a project gives', 'mine', {}, projects, 'env-mine'],
    ['a project gives', 'openai', {}, projects, undefined],
    ['a project gives', 'bare', given, projects, undefined],
    ['a project gives', 'mine', given, projects, 'env-mine'],
    ["a user gives by a flag to a project's provider", 'mine', address, projects, undefined],
    ["a user gives by a flag to a project's provider", 'keyed', address, projects, undefined],
    ["a user gives by a flag to a project's provider", 'openai', address, projects, 'env-openai'],
    [
      "a user gives by a flag to a project's provider",
      'mine',
      { ...address, ...given },
      projects,
      'longhaul',
    ],
  ])('that %s: %s with %j', (_, provider, options, settings, key) => {
    expect(resolveEndpoint(provider, settings, { env, ...options }).apiKey).toBe(key);
  });
});

describe('a stored key', () => {
  const storedKeys = { openai: 'stored', mine: 'stored', bare: 'stored', keyed: 'stored' };
  const users = { providers, storedKeys };
  const projects = { ...users, project: projectOf(...Object.keys(providers)) };
  const flag = { baseUrl: 'https://flag.example' };

  it.each([
    ['is used if the variable is not set', 'mine', {}, users, {}, 'stored'],
    ['is used after a variable', 'mine', {}, users, env, 'env-mine'],
    ['is used after a usual variable', 'openai', {}, users, env, 'env-openai'],
    ['is used without any', 'openai', {}, users, {}, 'stored'],
    ['is used after a configured key', 'keyed', {}, users, {}, 'literal'],
    ['is the key of an address without one', 'bare', {}, users, {}, 'stored'],
    ['goes to an address that the user names', 'bare', flag, users, {}, 'stored'],
    ["never goes to a project's address", 'bare', {}, projects, {}, undefined],
    ["never goes to a project's address of a known provider", 'openai', {}, projects, env, undefined],
  ])('%s: %s', (_, provider, options, settings, variables, key) => {
    expect(resolveEndpoint(provider, settings, { env: variables, ...options }).apiKey).toBe(key);
  });

  it('is sent only to an upstream with the address of its provider, and to no upstream of a project', () => {
    const key = (baseUrl: string, isProjects: boolean) =>
      upstreamKey({ name: 'bare', baseUrl }, { settings: users, env, isProjects });
    expect(key('https://bare.example/v1', false)).toBe('stored');
    expect(key('https://evil.example/v1', false)).toBeUndefined();
    expect(key('https://bare.example/v1', true)).toBeUndefined();
  });
});

describe('the headers and fields of an address', () => {
  const extras = { headers: { 'x-key': '$MINE_KEY' }, body: { user: 'me' } };
  const settings = { providers: { mine: { ...providers.mine, ...extras } } };
  const sent = { headers: { 'x-key': 'env-mine' }, body: { user: 'me' } };
  const nothing = { headers: undefined, body: undefined };
  const of = (more: object, options: object) =>
    resolveEndpoint('mine', { ...settings, ...more }, { env, ...options });

  it('go to the address of their layer and to an address that the user names', () => {
    expect(of({}, {})).toMatchObject(sent);
    expect(of({}, { baseUrl: 'https://flag.example' })).toMatchObject(sent);
    expect(of({ project: projectOf('mine') }, {})).toMatchObject(sent);
  });

  it('of a project do not go to an address that the user names', () => {
    expect(of({ project: projectOf('mine') }, { baseUrl: 'https://flag.example' })).toMatchObject(nothing);
  });

  it('do not go to another address that was found', () => {
    const at = (baseUrl: string) => endpointAt('mine', { baseUrl, isProjects: false }, { settings, env });
    expect(at('https://mine.example/v1/')).toMatchObject(sent);
    expect(at('https://other.example/v1')).toEqual({ baseUrl: 'https://other.example/v1' });
  });

  it('name a variable that is not set', () => {
    expect(() => resolveEndpoint('mine', settings, { env: {} })).toThrow(
      /headers\.x-key reads \$MINE_KEY, which is not set/,
    );
  });
});

describe('the key of an upstream of the gateway', () => {
  const users = { providers };
  const projects = { providers, project: projectOf('mine') };

  it.each([
    ["the provider's address", { baseUrl: 'https://mine.example/v1/' }, users, false, 'env-mine'],
    ['another address', { baseUrl: 'https://evil.example/v1' }, users, false, undefined],
    ['its own key', { baseUrl: 'https://evil.example/v1', apiKey: 'own' }, users, false, 'own'],
    [
      "a project's upstream, a user's provider",
      { baseUrl: 'https://mine.example/v1' },
      users,
      true,
      undefined,
    ],
    [
      "a user's upstream, a project's provider",
      { baseUrl: 'https://mine.example/v1' },
      projects,
      false,
      undefined,
    ],
    ["a project's upstream and provider", { baseUrl: 'https://mine.example/v1' }, projects, true, 'env-mine'],
  ])('%s', (_, upstream, settings, isProjects, key) => {
    expect(upstreamKey({ name: 'mine', ...upstream }, { settings, env, isProjects })).toBe(key);
  });

  it("of a provider without an address is the provider's", () => {
    const upstream = { name: 'keyed', baseUrl: 'http://10.0.0.5/v1' };
    expect(upstreamKey(upstream, { settings: users, env, isProjects: false })).toBe('literal');
    expect(upstreamKey(upstream, { settings: users, env, isProjects: true })).toBeUndefined();
  });
});
