import assert from 'node:assert/strict';
import { LonghaulError } from '@longhaul/protocol';
import { describe, it } from 'vitest';
import { isPostgresUrl, parsePostgresUrl, shownPostgresAddress } from './postgres-address.ts';

const refusal = (url: string): string => {
  try {
    parsePostgresUrl(url);
  } catch (error) {
    assert.ok(error instanceof LonghaulError);
    assert.equal(error.code, 'config_invalid');
    return error.message;
  }
  return assert.fail(`${url} was accepted`);
};

describe('addresses of PostgreSQL', () => {
  it('have a host, a port, a user, a password, a database and a schema', () => {
    assert.deepEqual(
      parsePostgresUrl('postgres://me:p%40ss%2F@db.example.com:6543/work?schema=agents&sslmode=require'),
      {
        host: 'db.example.com',
        port: 6543,
        user: 'me',
        password: 'p@ss/',
        database: 'work',
        schema: 'agents',
        sslmode: 'require',
      },
    );
  });

  it('have defaults', () => {
    const address = { user: 'me', database: 'work', schema: 'longhaul', port: 5432 };
    assert.deepEqual(parsePostgresUrl('postgresql://me@[::1]/work'), {
      ...address,
      host: '::1',
      sslmode: 'disable',
    });
    assert.deepEqual(parsePostgresUrl('postgres://me@/work?host=/run/postgresql'), {
      ...address,
      host: '/run/postgresql',
      sslmode: 'disable',
    });
  });

  it('are shown without the password', () => {
    const shown = (url: string) => shownPostgresAddress(parsePostgresUrl(url));
    assert.equal(shown('postgres://me:secret@db/work'), 'postgres://me@db:5432/work');
    assert.equal(shown('postgres://me:secret@db/work?schema=a'), 'postgres://me@db:5432/work (schema a)');
    assert.equal(shown('postgres://me:secret@/work?host=/run'), 'postgres://me@/work?host=/run');
    assert.equal(parsePostgresUrl('postgres://me@:6543/work?host=/run').port, 6543);
  });

  it.each<[name: string, url: string, message: string]>([
    ['nothing after the scheme', 'postgres://', 'is not an address'],
    ['no host', 'postgres:///work', 'is not an address'],
    ['no user', 'postgres://db/work', 'names no user'],
    ['no database', 'postgres://me:secret@db', 'names no database'],
    ['a path', 'postgres://me:secret@db/work/more', 'names no database'],
    ['an unknown parameter', 'postgres://me:secret@db/work?sslmod=require', 'has the parameter "sslmod"'],
    ['a password as a parameter', 'postgres://me@db/work?password=secret', 'has the parameter "password"'],
    ['an unknown sslmode', 'postgres://me:secret@db/work?sslmode=on', 'has the sslmode "on"'],
    [
      'a schema that needs quotes',
      'postgres://me:secret@db/work?schema=My-Schema',
      'has the schema "My-Schema"',
    ],
    [
      'a host as a parameter',
      'postgres://me:secret@db/work?host=other',
      'must be the folder of a Unix socket',
    ],
    ['a % in the password', 'postgres://me:secret%@db/work', 'contains a %'],
    ['a port that is none', 'postgres://me:secret@db:port/work', 'is not an address'],
  ])('are refused with %s, without showing the password', (_name, url, message) => {
    const text = refusal(url);
    assert.ok(text.startsWith(`storage.url ${message}`) || text.includes(message), text);
    assert.ok(!text.includes('secret'), text);
  });

  it('differ from other addresses', () => {
    assert.ok(isPostgresUrl('postgres://x') && isPostgresUrl('postgresql://x'));
    assert.ok(!isPostgresUrl('sqlite:postgres://x') && !isPostgresUrl('postgresq://x'));
  });
});
