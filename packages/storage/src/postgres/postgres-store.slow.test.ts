import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { blobStoreContract, storeContract } from '@longhaul/testing/contracts';
import { findPostgres, isRequired, type PostgresServer, startPostgres } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openPostgresStore } from './index.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');

describe.skipIf(isMissing)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  storeContract({ describe, it }, 'postgres', (options) => {
    const schema = `s${randomUUID().replaceAll('-', '')}`;
    return openPostgresStore({ url: `${server.url}?schema=${schema}`, maxConnections: 3, ...options });
  });

  const opened: AsyncDisposable[] = [];
  afterAll(async () => {
    for (const store of opened) await store[Symbol.asyncDispose]();
  });
  blobStoreContract({ describe, it }, 'postgres', async () => {
    const schema = `s${randomUUID().replaceAll('-', '')}`;
    const store = await openPostgresStore({ url: `${server.url}?schema=${schema}`, maxConnections: 2 });
    opened.push(store);
    return store.blobs;
  });

  it('has a name that other databases do not have, also for a user without privileges', async () => {
    await server.query('CREATE USER plain');
    await server.query('CREATE DATABASE plain OWNER plain');
    const urls = [
      server.url,
      `${server.url}?schema=other`,
      server.url.replace('postgres@', 'plain@').replace(/postgres$/, 'plain'),
    ];
    const names = new Set<string>();
    for (const url of urls) {
      await using store = await openPostgresStore({ url, maxConnections: 1 });
      const { id } = await store.blobUser();
      assert.match(id, /^\d+-\d+-\w+$/);
      names.add(id);
    }
    assert.equal(names.size, 3);
  });
});
