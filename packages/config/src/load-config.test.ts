import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { LonghaulError } from '@longhaul/protocol';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from './config.ts';
import { loadConfig } from './load-config.ts';
import type { LoadConfigOptions } from './load-config-options.ts';

let home: string;
let cwd: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'longhaul-config-'));
  cwd = join(home, 'project');
  await mkdir(join(cwd, '.git'), { recursive: true });
});

afterEach(() => rm(home, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<string> {
  const whole = join(home, path);
  await mkdir(dirname(whole), { recursive: true });
  await writeFile(whole, text);
  return whole;
}

const project = (text: string) => write('project/longhaul.yml', text);
const user = (text: string) => write('.config/longhaul/longhaul.yml', text);
const load = (options: Partial<LoadConfigOptions> = {}) =>
  loadConfig({ cwd, home, env: {}, trust: 'all', ...options });

/** Loads the configuration, expects `config_invalid`, and returns its message. */
async function complaint(options: Partial<LoadConfigOptions> = {}): Promise<string> {
  const error = await load(options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LonghaulError);
  expect((error as LonghaulError).code).toBe('config_invalid');
  return (error as LonghaulError).message;
}

describe('without a file', () => {
  it('returns the defaults, with ~ replaced by the home folder', async () => {
    const { config, sources } = await load();
    expect(sources).toEqual([]);
    const storage = { ...DEFAULT_CONFIG.storage, url: `sqlite:${home}/.local/share/longhaul/longhaul.db` };
    expect(config).toEqual({ ...DEFAULT_CONFIG, storage });
  });

  it.each(['', '# nothing\n', '---\n'])('treats the empty file %j like no file', async (text) => {
    const path = await project(text);
    const { config, sources } = await load();
    expect(sources).toEqual([path]);
    expect(config.retry).toEqual(DEFAULT_CONFIG.retry);
  });
});

it('loads neither the schema library, nor a parser, nor anything about trust without a file', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(name, context, next) { const found = next(name, context); seen.push(found.url); return found; } });
    const { loadConfig } = await import(${JSON.stringify(new URL('./load-config.ts', import.meta.url).href)});
    await loadConfig({ cwd: ${JSON.stringify(cwd)}, home: ${JSON.stringify(home)}, env: {}, flags: { model: 'a/b' } });
    console.log(JSON.stringify({ all: seen.length > 0, heavy: seen.filter((url) => /node_modules|\\/src\\/trust\\//.test(url)) }));
  `;
  const args = [...FROM_SOURCE, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({ all: true, heavy: [] });
});

describe('precedence', () => {
  it('is flag, settings, project, user, default; mappings merge and lists replace', async () => {
    const userPath = await user(
      'model: a/user\nlimits: { steps: 1, tokens: 1, costUsd: 1 }\ncontext: { instructions: [USER.md] }\nproviders: { one: { baseUrl: "http://one/v1" } }\n',
    );
    const projectPath = await project(
      'model: a/project\nlimits: { steps: 2, tokens: 2 }\ncontext: { instructions: [A.md, B.md] }\nproviders: { two: { baseUrl: "http://two/v1" } }\n',
    );
    const { config, sources } = await load({
      settings: { model: 'a/settings', limits: { steps: 3 } },
      flags: { model: 'a/flag' },
    });
    expect(config.model).toBe('a/flag');
    expect(config.limits).toEqual({ steps: 3, tokens: 2, costUsd: 1, minutes: null, repeatedCalls: 3 });
    expect(config.context.instructions).toEqual(['A.md', 'B.md']);
    expect(Object.keys(config.providers)).toEqual(['one', 'two']);
    expect(sources).toEqual([projectPath, userPath]);
  });

  it('reports the origin of each value that is not the default, with the variable it came from', async () => {
    const userPath = await user('model: a/user\nlimits: { steps: 1, tokens: 1 }\nserver: { port: $PORT }\n');
    const projectPath = await project('model: a/project\ncontext: { instructions: [A.md, B.md] }\n');
    const { origins } = await load({
      env: { PORT: '4200' },
      settings: { context: { compression: { trigger: { threshold: 0.5 } } } },
      flags: { limits: { steps: 3 }, sandbox: {} },
    });
    expect(origins).toEqual({
      model: { from: 'project', path: projectPath },
      'limits.steps': { from: 'flag' },
      'limits.tokens': { from: 'user', path: userPath },
      'server.port': { from: 'user', path: userPath, variable: 'PORT' },
      'context.instructions': { from: 'project', path: projectPath },
      'context.compression.trigger.threshold': { from: 'api' },
    });
  });

  it('removes a limit of a lower layer with null', async () => {
    await user('limits: { steps: 10 }');
    await project('limits: { steps: null }');
    expect((await load()).config.limits.steps).toBeNull();
  });

  it('finds the project file above cwd, up to the root of the repository', async () => {
    await mkdir(join(cwd, 'a/b'), { recursive: true });
    await project('model: a/project');
    await write('longhaul.yml', 'model: a/home');
    expect((await load({ cwd: join(cwd, 'a/b') })).config.model).toBe('a/project');
    await rm(join(cwd, 'longhaul.yml'));
    expect((await load({ cwd: join(cwd, 'a/b') })).config.model).toBeUndefined();
  });

  it('searches up to the home folder outside a repository', async () => {
    await write('longhaul.yml', 'model: a/home');
    const plain = join(home, 'plain/deep');
    await mkdir(plain, { recursive: true });
    expect((await load({ cwd: plain })).config.model).toBe('a/home');
  });

  it('ignores a file above cwd outside of both, because it may be anybody’s', async () => {
    await write('longhaul.yml', 'model: a/stranger');
    const elsewhere = join(home, 'nobody');
    await mkdir(join(home, 'plain'), { recursive: true });
    expect((await load({ cwd: join(home, 'plain'), home: elsewhere })).config.model).toBeUndefined();
  });

  it('uses a named file instead of the project’s, and requires that it exists', async () => {
    await project('model: a/project');
    await user('limits: { steps: 7 }');
    const file = await write('elsewhere/mine.yml', 'model: a/named');
    const { config, sources } = await load({ file });
    expect([config.model, config.limits.steps, sources[0]]).toEqual(['a/named', 7, file]);
    await expect(load({ file: `${file}.not` })).rejects.toMatchObject({ code: 'file_unreadable' });
  });

  it('reads the user file from XDG_CONFIG_HOME', async () => {
    await write('xdg/longhaul/longhaul.yml', 'model: a/xdg');
    const env = { XDG_CONFIG_HOME: join(home, 'xdg') };
    expect((await load({ env })).config.model).toBe('a/xdg');
  });

  it('resolves paths in a file relative to its folder', async () => {
    await user(
      'agents: { coder: { prompt: ./prompt.md } }\ncontext: { compression: { strategy: ~/mine.ts } }',
    );
    const { config } = await load();
    expect(config.agents['coder']?.prompt).toBe(join(home, '.config/longhaul/prompt.md'));
    expect(config.context.compression.strategy).toBe(join(home, 'mine.ts'));
  });

  it('ignores headings without content', async () => {
    await project('model:\nlimits:\nproviders:\n  lmstudio:\ncontext:\n  compression:\n');
    const { config } = await load();
    expect(config.limits).toEqual(DEFAULT_CONFIG.limits);
    expect(config.providers).toEqual({ lmstudio: {} });
  });
});

describe('the environment', () => {
  const KEY = 'providers: { mine: { baseUrl: "http://mine/v1", apiKey: $MINE_KEY } }';

  it('replaces a value that is exactly $NAME', async () => {
    await project(`${KEY}\nsandbox: { image: "img:$TAG" }`);
    const { config } = await load({ env: { MINE_KEY: 'secret', TAG: 'no' } });
    expect(config.providers['mine']?.apiKey).toBe('secret');
    expect(config.sandbox.image).toBe('img:$TAG');
  });

  it('gives numbers and booleans where the schema expects them', async () => {
    await project(
      'server: { port: $PORT }\ncontext: { compression: { auto: $AUTO } }\nsandbox: { image: $IMAGE }',
    );
    const { config } = await load({ env: { PORT: '4500', AUTO: 'false', IMAGE: '24' } });
    expect([config.server.port, config.context.compression.auto, config.sandbox.image]).toEqual([
      4500,
      false,
      '24',
    ]);
  });

  it('names a missing variable', async () => {
    await project('\nstorage:\n  url: $DB_URL\n');
    expect(await complaint()).toBe(
      'longhaul.yml:3:8: storage.url reads $DB_URL, which is not set in the environment.',
    );
  });

  it('reports a missing variable for a number as one problem', async () => {
    await project('server: { port: $PORT }');
    expect((await complaint()).split('\n')).toHaveLength(1);
  });

  it('accepts the missing key of a provider until it is used', async () => {
    await project(KEY);
    expect((await load()).config.providers['mine']?.apiKey).toBe('$MINE_KEY');
  });
});

describe('mistakes', () => {
  it.each(['postgre://me:key@host/db', 'mysql://me:key@host', 'longhaul.db'])(
    'refuses the store %s',
    async (url) => {
      await user(`storage:\n  url: ${url}\n`);
      const message = await complaint();
      expect(message).toContain('storage.url must start with sqlite:, postgres: or memory:');
      expect(message).toContain('such as sqlite:PATH');
      expect(message).not.toContain('key');
    },
  );

  it.each<[name: string, text: string, message: string]>([
    ['an unknown key', 'modle: a/b', 'longhaul.yml:1:1: modle is not a known key. Did you mean "model"?'],
    [
      'an unknown key, nested',
      'model: a/b\ncontext:\n  compression:\n    stategy: reactive-overflow\n',
      'longhaul.yml:4:5: context.compression.stategy is not a known key. Did you mean "strategy"?',
    ],
    [
      'an unknown key of a named provider',
      'providers:\n  mine:\n    baseURL: http://x/v1\n',
      'longhaul.yml:3:5: providers.mine.baseURL is not a known key. Did you mean "baseUrl"?',
    ],
    [
      'an unknown key of a list',
      'approvals:\n  - { tool: bash, acton: deny, action: deny }\n',
      'longhaul.yml:2:19: approvals[0].acton is not a known key. Did you mean "action"?',
    ],
    [
      'an unknown key without a similar one',
      'quantumFlux: 1',
      'longhaul.yml:1:1: quantumFlux is not a known key.',
    ],
    [
      'a wrong type',
      'limits:\n  steps: many\n',
      'longhaul.yml:2:10: limits.steps must be a number, not "many".',
    ],
    [
      'a number in place of a mapping',
      'tools: 5',
      'longhaul.yml:1:8: tools must be a mapping of keys, not 5.',
    ],
    [
      'a number out of range',
      'server: { port: 99999 }',
      'longhaul.yml:1:17: server.port must be at most 65535, not 99999.',
    ],
    [
      'a word in place of a number',
      'server: { maxRuns: many }',
      'longhaul.yml:1:20: server.maxRuns must be a whole number of at least 1, auto, or null, not "many".',
    ],
    [
      'a value of a fixed set',
      'sandbox: { driver: dokcer }',
      'longhaul.yml:1:20: sandbox.driver must be auto, docker, bubblewrap, seatbelt or local, not "dokcer". Did you mean "docker"?',
    ],
    [
      'a model without a provider',
      'model: claude',
      'longhaul.yml:1:8: model must be provider/model, such as anthropic/claude-sonnet-4-5, not "claude".',
    ],
    ['a missing value', 'approvals: [{ tool: bash }]', 'longhaul.yml:1:13: approvals[0].action is missing.'],
    [
      'an invalid address',
      'providers: { x: { baseUrl: localhost } }',
      'longhaul.yml:1:28: providers.x.baseUrl must be an http:// or https:// URL, not "localhost".',
    ],
    [
      'an invalid trigger',
      'context: { compression: { trigger: sometimes } }',
      'longhaul.yml:1:36: context.compression.trigger must be overflow, manual, or { threshold: 0.8 }, not "sometimes".',
    ],
    [
      'a list in place of the whole file',
      '- a\n',
      'longhaul.yml:1:1: the file must be a mapping of keys, not a list.',
    ],
    [
      'a header with a line break, without showing it',
      'providers: { x: { headers: { X-Team: "a\\nb" } } }',
      'longhaul.yml:1:38: providers.x.headers.X-Team must be one line of text, without line breaks and with characters of Latin-1 only.',
    ],
    [
      'several answers of each request',
      'providers: { x: { body: { n: 3 } } }',
      'longhaul.yml:1:30: providers.x.body.n must be 1 (one answer of each request is read), not 3.',
    ],
    [
      'several candidates of each request',
      'providers: { x: { body: { generationConfig: { candidateCount: 2 } } } }',
      'longhaul.yml:1:63: providers.x.body.generationConfig.candidateCount must be 1 (one answer of each request is read), not 2.',
    ],
    [
      'a field of the body that holds the conversation',
      'providers: { x: { body: { top_k: 1, messages: [] } } }',
      'longhaul.yml:1:37: providers.x.body.messages is written by Longhaul for each request and cannot be configured.',
    ],
    [
      'an unknown level of reasoning',
      'providers: { x: { reasoning: { effort: hihg } } }',
      'longhaul.yml:1:40: providers.x.reasoning.effort must be none, minimal, low, medium, high, xhigh or max, not "hihg". Did you mean "high"?',
    ],
    [
      'a password in an address, without showing it',
      'providers: { x: { baseUrl: "http://me:secret@host/v1" } }',
      'longhaul.yml:1:28: providers.x.baseUrl must not contain a user name or password: a key belongs in apiKey, not "http://********@host/v1".',
    ],
    [
      'a wrong key of a provider, without showing it',
      'providers: { x: { apiKey: 12345 } }',
      'longhaul.yml:1:27: providers.x.apiKey must be text, not a number.',
    ],
  ])('%s', async (_name, text, message) => {
    await project(text);
    expect(await complaint()).toBe(message);
  });

  it.each([
    ['an open bracket', 'model: [a', /^longhaul\.yml:1:10: this is not valid YAML: /],
    ['a tab', 'tools:\n\tbash: 1', /^longhaul\.yml:2:1: this is not valid YAML: /],
    ['a key twice', 'model: a/b\nmodel: a/c', /^longhaul\.yml:2:1: this is not valid YAML: .*unique/],
    ['an alias to nothing', 'model: *nowhere', /^longhaul\.yml:1:\d+: this is not valid YAML: .*nowhere/],
  ])('invalid YAML: %s', async (_name, text, pattern) => {
    await project(text);
    expect(await complaint()).toMatch(pattern);
  });

  it('refuses aliases that would fill the memory', async () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i += 1)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );
    await project(lines.join('\n'));
    expect(await complaint()).toMatch(/not valid YAML: Excessive alias/);
  });

  it('names every mistake', async () => {
    await project('modle: a/b\nlimits: { steps: 0 }\n');
    expect((await complaint()).split('\n')).toEqual([
      'longhaul.yml:2:18: limits.steps must be more than 0, not 0.',
      'longhaul.yml:1:1: modle is not a known key. Did you mean "model"?',
    ]);
  });

  it('names the file if it is not in the working folder', async () => {
    const path = await user('modle: a/b');
    expect(await complaint()).toContain(`${path}:1:1: modle`);
  });

  it('checks settings from the API too', async () => {
    expect(await complaint({ settings: { limits: { stepz: 1 } } })).toBe(
      'settings: limits.stepz is not a known key. Did you mean "steps"?',
    );
  });

  it('changes no object for a key named __proto__', async () => {
    await project('providers: { __proto__: { baseUrl: "http://x/v1" } }\n');
    await load().catch(() => undefined);
    expect(Object.hasOwn(Object.prototype, 'baseUrl')).toBe(false);
    expect(({} as Record<string, unknown>)['baseUrl']).toBeUndefined();
  });

  it('reports a folder in place of the file as file_unreadable', async () => {
    await mkdir(join(cwd, 'longhaul.yml'));
    await expect(load()).rejects.toMatchObject({ code: 'file_unreadable' });
  });
});
