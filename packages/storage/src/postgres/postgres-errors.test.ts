import assert from 'node:assert/strict';
import { LonghaulError } from '@longhaul/protocol';
import { describe, it } from 'vitest';
import { isConflict, isLost, isRefusedData, mapPostgresError, withCode } from './postgres-errors.ts';

const ADDRESS = 'postgres://me@db:5432/work';

/** As drizzle throws it: the query and its values in the outer error. */
function thrown(code: string): Error {
  const cause = Object.assign(new Error('as the server says it'), {
    code,
    parameters: ['text of a session'],
  });
  return new Error('Failed query: INSERT … params: text of a session', { cause });
}

describe('errors of PostgreSQL', () => {
  it.each<[code: string, kind: string, text: string]>([
    ['53100', 'store_full', 'The disk of'],
    ['25006', 'store_readonly', 'only allows reading'],
    ['42501', 'store_readonly', 'may not do this'],
    ['28P01', 'config_invalid', 'refused the user or the password'],
    ['28000', 'config_invalid', 'refused the user or the password'],
    ['3D000', 'config_invalid', 'There is no database at'],
    ['42P01', 'store_unavailable', 'The tables of'],
    ['40001', 'store_unavailable', 'was locked by another program'],
    ['55P03', 'store_unavailable', 'was locked by another program'],
    ['53300', 'store_unavailable', 'no connection left'],
    ['57P03', 'store_unavailable', 'cannot be reached'],
    ['ECONNREFUSED', 'store_unavailable', 'cannot be reached'],
    ['NO_CONNECTION', 'store_unavailable', 'cannot be reached'],
    ['XX001', 'store_corrupt', 'reports damaged data'],
    ['23505', 'internal', 'violates a constraint'],
    ['42703', 'internal', 'refused a query of this program'],
  ])('map %s to %s', (code, kind, text) => {
    const error = mapPostgresError(thrown(code), ADDRESS);
    assert.equal(error.code, kind);
    assert.ok(error.message.includes(text), error.message);
    assert.ok(!`${error.stack}${error.cause}`.includes('text of a session'));
  });

  it('keep an error of this program', () => {
    const own = new LonghaulError('lease_lost', 'x');
    assert.equal(mapPostgresError(own, ADDRESS), own);
  });

  it('tell what can be repeated from what was refused', () => {
    assert.ok(isConflict(thrown('40001')) && isConflict(thrown('40P01')) && !isConflict(thrown('55P03')));
    assert.ok(isLost(thrown('NO_CONNECTION')) && isLost(thrown('57P01')) && isLost(thrown('08006')));
    // As the driver reports a query whose connection ended.
    const ended = new Error('Connection terminated unexpectedly');
    assert.ok(!isLost(ended) && isLost(withCode(ended)) && !isLost(withCode(thrown('23505'))));
    assert.ok(!isLost(thrown('23505')) && !isLost(new Error('ECONNRESET')));
    assert.ok(
      isRefusedData(thrown('23505')) && isRefusedData(thrown('22P05')) && !isRefusedData(thrown('53100')),
    );
  });

  it('find the first of several attempts to connect', () => {
    const attempts = [6, 4].map((family) =>
      Object.assign(new Error(`IPv${family}`), { code: 'ECONNREFUSED' }),
    );
    assert.equal(mapPostgresError(new AggregateError(attempts), ADDRESS).code, 'store_unavailable');
  });
});
