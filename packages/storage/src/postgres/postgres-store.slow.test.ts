import { randomUUID } from 'node:crypto';
import { storeContract } from '@longhaul/testing/contracts';
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
});
