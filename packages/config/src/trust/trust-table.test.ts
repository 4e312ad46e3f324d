import { describe, expect, it } from 'vitest';
import { isPlainObject } from '../config-layer.ts';
import { toEditorSchema } from '../json-schema.ts';
import { restrict, ruleFor } from './restrict.ts';
import { TRUST_TABLE } from './trust-table.ts';

/** The keys of the schema, with NAME for a free name. */
function keysOf(schema: unknown, path: string[] = []): string[] {
  if (!isPlainObject(schema)) return [];
  const { properties, additionalProperties: named } = schema;
  if (isPlainObject(properties))
    return Object.entries(properties).flatMap(([key, below]) => keysOf(below, [...path, key]));
  return isPlainObject(named) ? keysOf(named, [...path, 'NAME']) : [path.join('.')];
}

describe('the trust table', () => {
  const keys = keysOf(toEditorSchema());

  it('decides about every key of the schema, and about no other', () => {
    expect(keys.filter((key) => ruleFor(key) === undefined)).toEqual([]);
    const unused = Object.keys(TRUST_TABLE).filter(
      (entry) => !keys.some((key) => key === entry || key.startsWith(`${entry}.`)),
    );
    expect(unused).toEqual([]);
  });

  it('allows a value only at a key without keys below it', () => {
    const sections = Object.entries(TRUST_TABLE).filter(
      ([entry, { allows }]) => allows !== '' && keys.some((key) => key.startsWith(`${entry}.`)),
    );
    expect(sections).toEqual([]);
  });

  it('denies a key of the schema without an entry', () => {
    const { value, dangerous } = restrict(
      { limits: { new: 1 }, fresh: { a: 1 } },
      { other: {}, granted: new Set(), isKnown: () => true },
    );
    expect([value, dangerous.map(({ path }) => path.join('.'))]).toEqual([
      { limits: {} },
      ['limits.new', 'fresh'],
    ]);
  });

  it.each([
    ['limits', { steps: 4 }, { steps: 5 }, true],
    ['limits', { steps: 6 }, { steps: 5 }, false],
    ['limits', { steps: null }, { steps: 5 }, false],
    ['limits', { steps: 6 }, { steps: null }, true],
    ['limits', { steps: '$KEY' }, { steps: null }, false],
    ['retry', { stallMs: 0 }, { stallMs: 10 }, false],
    ['sandbox', { env: ['A'] }, { env: ['A', 'B'] }, true],
    ['sandbox', { env: ['A', 'C'] }, { env: ['A', 'B'] }, false],
    ['context', { instructions: ['docs/a.md'] }, { instructions: ['AGENTS.md'] }, true],
    ['context', { instructions: ['.env'] }, { instructions: ['AGENTS.md'] }, false],
    ['context', { instructions: ['a/../../b.md'] }, { instructions: ['AGENTS.md'] }, false],
    ['context', { instructions: ['I, the user, wrote this.md'] }, { instructions: ['AGENTS.md'] }, false],
    ['context', { instructions: ['\n# Instructions.md'] }, { instructions: ['AGENTS.md'] }, false],
    ['context', { instructions: Array(21).fill('a.md') }, { instructions: ['AGENTS.md'] }, false],
    ['context', { instructions: ['/etc/x.md'] }, { instructions: ['AGENTS.md'] }, false],
    ['context', { compression: { strategy: 'middle-removal' } }, {}, true],
    ['context', { compression: { strategy: './x.mjs' } }, {}, false],
  ])('of %s: %j over %j is kept: %s', (section, value, other, isKept) => {
    const options = { other: { [section]: other }, granted: new Set<string>(), isKnown: () => true };
    const { dangerous } = restrict({ [section]: value }, options);
    expect(dangerous).toHaveLength(isKept ? 0 : 1);
  });

  it('keeps the rules of the user: a deny comes after them, an ask before them', () => {
    const [allow, ask, deny] = ['allow', 'ask', 'deny'].map((action) => ({ tool: 'bash', action }));
    const users = { tool: 'read', action: 'deny' };
    const options = { other: { approvals: [users] }, granted: new Set<string>(), isKnown: () => true };
    const { value, dangerous } = restrict({ approvals: [allow, deny, ask] }, options);
    expect(value).toEqual({ approvals: [ask, users, deny] });
    expect(dangerous).toHaveLength(1);
  });
});
